// Facts of the cluster that an installation depends on, and its provider.
import type { IstioProfileName } from '../../../shared/api/istio/operator.ts'
import { attempted } from '../../../shared/core/decisions/reading.ts'
import { own } from '../../../shared/core/json/fields.ts'
import { isMap, mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { quantityNano } from '../../../shared/core/objects/quantity.ts'

export type ClusterFacts = {
  readonly nodes: readonly NodeFacts[]
  readonly features: Features
  /** The cluster is dual-stack, and this flavour of istio supports it. */
  readonly isDualStack: boolean
  /** ConfigMap istio-system/elb-deprecated requests the former load balancer of AWS. */
  readonly wantsElb: boolean
  /** The ingress gateway's Service has a network load balancer of AWS. */
  readonly hasNlb: boolean
}

/** A Node. Quantities are texts as the kubelet wrote them. */
export type NodeFacts = {
  readonly cpu: string
  readonly memory: string
  readonly kubeletVersion: string
  readonly providerId: string
  readonly osImage: string
}

/** The profile depends on the total capacity of all Nodes. */
export const profileNameFor = (nodes: readonly NodeFacts[]): IstioProfileName => {
  const isLarge = sum(nodes.map(({ cpu }) => cpu)) >= leastCpu && sum(nodes.map(({ memory }) => memory)) >= leastMemory
  return isLarge ? 'production' : 'evaluation'
}

/** The sum in nano units, so that no fraction of a CPU is lost. */
const sum = (quantities: readonly string[]): bigint =>
  quantities.reduce((total, one) => total + (one.length > longestQuantity ? 0n : (quantityNano(one) ?? 0n)), 0n)

/** Kubelets write shorter quantities, and parsing very long quantities is slow. */
const longestQuantity = 64

const nano = 1_000_000_000n
const leastCpu = 5n * nano
const leastMemory = 10_000_000_000n * nano

/** The switches in ConfigMap kyma-system/istio-features. A switch affects every Istio, although no spec changes. */
export type Features = {
  readonly isCniDisabled: boolean
  /** VerticalPodAutoscalers scale memory, so HorizontalPodAutoscalers must not. */
  readonly hasControlPlaneVpa: boolean
  /** Why the ConfigMap is unreadable. All switches are then off. */
  readonly fault?: string
}

/** All switches are off if the ConfigMap is absent or unreadable. */
export const featuresOf = (configMap: KubeObject | undefined): Features => {
  const text = own(mapOrEmpty(configMap?.data), 'features')
  if (typeof text !== 'string') return allOff
  const reading = attempted<unknown>(() => JSON.parse(text))
  if ('failed' in reading) return { ...allOff, fault: `it is not valid JSON: ${reading.failed}` }
  if (reading.read === null) return allOff
  if (!isMap(reading.read)) return { ...allOff, fault: 'it is not a JSON object' }
  const { disableCni = false, enableControlPlaneVPA = false } = reading.read
  const wrong = Object.entries({ disableCni, enableControlPlaneVPA }).find(([, value]) => typeof value !== 'boolean')
  if (wrong) return { ...allOff, fault: `${wrong[0]} is neither true nor false` }
  return { isCniDisabled: disableCni === true, hasControlPlaneVpa: enableControlPlaneVPA === true }
}

const allOff: Features = { isCniDisabled: false, hasControlPlaneVpa: false }

/** The first row that fits a Node determines the provider. */
export type Provider = 'gke' | 'k3d' | 'aws-elb' | 'aws-dual-stack' | 'aws-nlb' | 'openstack-garden' | 'openstack'

type Row = {
  readonly name: Provider
  readonly fits: (node: NodeFacts) => boolean
  readonly when?: (cluster: ClusterFacts) => boolean
  readonly hasProxyProtocol?: true
}

const isGke = ({ kubeletVersion }: NodeFacts): boolean => /^v\d+\.\d+\.\d+-gke\.\d+$/.test(kubeletVersion)
const isK3d = ({ kubeletVersion }: NodeFacts): boolean => /^v\d+\.\d+\.\d+\+k3s\d+$/.test(kubeletVersion)
const isOf = (provider: string) => (node: NodeFacts) => node.providerId.toLowerCase().startsWith(`${provider}://`)
/** Whether the cluster runs on AWS. The current load balancer influences the provider only on AWS. */
export const isOfAmazon = isOf('aws')
const isOfGarden = ({ osImage }: NodeFacts): boolean => osImage.includes('Garden')

const rows: readonly Row[] = [
  { name: 'gke', fits: isGke },
  { name: 'k3d', fits: isK3d },
  { name: 'aws-elb', fits: isOfAmazon, when: ({ wantsElb, hasNlb }) => wantsElb && !hasNlb, hasProxyProtocol: true },
  { name: 'aws-dual-stack', fits: isOfAmazon, when: ({ isDualStack }) => isDualStack, hasProxyProtocol: true },
  { name: 'aws-nlb', fits: isOfAmazon },
  {
    name: 'openstack-garden',
    fits: isOf('openstack'),
    when: ({ nodes }) => nodes.some(isOfGarden),
    hasProxyProtocol: true,
  },
  { name: 'openstack', fits: isOf('openstack'), hasProxyProtocol: true },
]

const rowOf = (cluster: ClusterFacts): Row | undefined =>
  rows.find(({ fits, when }) => cluster.nodes.some(fits) && (when === undefined || when(cluster)))

/** undefined: no row fits, and no edits are needed. */
export const providerOf = (cluster: ClusterFacts): Provider | undefined => rowOf(cluster)?.name

export const needsProxyProtocol = (cluster: ClusterFacts): boolean => rowOf(cluster)?.hasProxyProtocol === true
