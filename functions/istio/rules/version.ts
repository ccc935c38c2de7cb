// Versions of Istio: the version to install, the version in use, whether an update is allowed, and whether charts and cluster fit.
import { parse, type SemVer } from 'semver'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { withoutUser } from '../../../shared/core/text/text.ts'
import { descriptions } from '../reasons.ts'
import type { IstioSettings } from '../settings.ts'

/** The tag of the images to install: the chosen images, otherwise the profiles, which all have the same tag. */
export const targetTag = ({ images, profiles }: Pick<IstioSettings, 'images' | 'profiles'>): string =>
  (images ? tagOf(images.pilot) : undefined) ?? String(profiles.production.spec.tag)

/** The tag of an image. undefined: the image has no tag, for example only a digest. */
export const tagOf = (image: string): string | undefined => {
  const [, tag] = /:([^:/@]+)$/.exec(image.replace(/@[^@/]*$/, '')) ?? []
  return tag
}

/** Turns `1.30.2-distroless` into `1.30.2`. undefined: `tag` is not a version. */
const plainVersion = (tag: string | undefined): string | undefined => {
  const version = parse(tag)
  return version ? numbersOf(version).join('.') : undefined
}

/** The image of a container in a Pod or in a workload's Pod template. */
export const imageOf = (object: KubeObject, container: string): string | undefined => {
  const template = mapOrEmpty(mapOrEmpty(object.spec).template)
  const { containers, initContainers } = mapOrEmpty(template.spec ?? object.spec)
  const found = [...mapsIn(containers), ...mapsIn(initContainers)].find(({ name }) => name === container)
  return typeof found?.image === 'string' ? found.image : undefined
}

/** The version last installed, otherwise the version of the running istiod. `image` is shown to users. */
export type InUse = { readonly tag: string | undefined; readonly image: string }

export const versionRefusal = (target: string, inUse: InUse): string | undefined => {
  const [wanted, current] = [parse(target), parse(inUse.tag)]
  if (!current) return `current Istio version (${inUse.image}) cannot be read`
  if (!wanted) return `target Istio version (${target}) cannot be read`
  const why = (text: string) => `target Istio version (${target}) is ${text}`
  const was = `current version (${inUse.tag})`
  const order = wanted.compareMain(current)
  if (order === 0) return undefined
  if (order < 0) return why(`lower than ${was} - downgrade not supported`)
  if (wanted.major !== current.major)
    return why(`different than current Istio version (${inUse.tag}) - major version upgrade is not supported`)
  if (wanted.minor > current.minor + 1)
    return why(`higher than ${was} - the difference between versions exceed one minor version`)
  return undefined
}

const numbersOf = ({ major, minor, patch }: SemVer): readonly number[] => [major, minor, patch]

export const strayVersion = (
  pods: readonly KubeObject[],
  settings: Pick<IstioSettings, 'images' | 'profiles'>,
): string | undefined => {
  const wanted = plainVersion(targetTag(settings)) ?? targetTag(settings)
  const [other] = pods.flatMap(versionsOf).filter(version => version !== wanted)
  return other === undefined ? undefined : descriptions.podVersions(other, wanted)
}

const containers = ['discovery', 'istio-proxy', 'install-cni']

/** The version in an image's tag, otherwise the image. */
const versionsOf = (pod: KubeObject): string[] =>
  containers.flatMap(container => {
    const image = imageOf(pod, container)
    return image === undefined ? [] : [plainVersion(tagOf(image)) ?? withoutUser(image)]
  })

type About = {
  readonly version: string
  readonly target: string
  /** For example `v1.36.3`. */
  readonly kubernetes: string
}

const leastKubernetes = { major: 1, minor: 32 }

/** Charts in Istio's source tree always have this version, whatever the release. */
const unreleased = '1.0.0'

export const chartsFault = ({ version, target, kubernetes }: About): string | undefined => {
  const [charts, images, cluster] = [parse(version), parse(target), parse(kubernetes)]
  const { major, minor } = leastKubernetes
  if (cluster && (cluster.major < major || (cluster.major === major && cluster.minor < minor)))
    return `Kubernetes ${kubernetes} is older than ${major}.${minor}, the oldest version that Istio supports`
  if (!charts || !images || version === unreleased) return undefined
  if (charts.major === images.major && charts.minor === images.minor) return undefined
  return `the charts are of Istio ${version}, but the images are of Istio ${target}`
}
