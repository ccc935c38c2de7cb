// Why charts must not be installed here: they are for another Istio, or the cluster is too old for them.
import { parse } from 'semver'

type About = {
  /** Of the charts. */
  readonly version: string
  /** The tag of the images. */
  readonly target: string
  /** `v1.36.3`. */
  readonly kubernetes: string
}

const leastKubernetes = { major: 1, minor: 32 }

/** What charts say that were not taken from a release. */
const unreleased = '1.0.0'

export const chartsFault = ({ version, target, kubernetes }: About): string | undefined => {
  const [charts, images, cluster] = [parse(version), parse(target), parse(kubernetes)]
  const { major, minor } = leastKubernetes
  if (cluster && (cluster.major < major || (cluster.major === major && cluster.minor < minor)))
    return `Kubernetes ${kubernetes} is older than ${major}.${minor}, which Istio needs`
  if (!charts || !images || version === unreleased) return undefined
  if (charts.major === images.major && charts.minor === images.minor) return undefined
  return `the charts are of Istio ${version}, the images of ${target}`
}
