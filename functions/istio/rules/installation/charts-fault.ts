// Checks that charts may be installed: they fit the images' version, the cluster is new enough, and all their objects belong to the mesh.
import { parse } from 'semver'
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { istioKind } from '../../../../shared/api/istio.ts'
import { groupOf, type KubeObject, refOf, refText } from '../../../../shared/core/objects/object.ts'

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

/**
 * `namespace`: the chart's namespace. An object in another namespace would be deleted with the chart, or when a later version of the chart
 * lacks it.
 */
export const foreignObject = (objects: readonly KubeObject[], namespace: string): string | undefined => {
  const foreign = objects.find(object => !isOfMesh(object, [istioNames.namespaces.mesh, namespace]))
  return foreign && `the charts contain ${refText(refOf(foreign))}, which is not part of the mesh`
}

/** Objects and CustomResourceDefinitions of Kyma's own kinds (such as Istio) are not part of the mesh. */
const isOfMesh = (
  { apiVersion, kind, metadata: { name, namespace = '' } }: KubeObject,
  own: readonly string[],
): boolean => {
  if (groupOf(apiVersion) === ofKyma || (kind === 'CustomResourceDefinition' && String(name).endsWith(`.${ofKyma}`)))
    return false
  const isIn = kind === 'Namespace' ? name : namespace
  return isIn === '' || own.includes(isIn)
}

const ofKyma = groupOf(istioKind.apiVersion)
