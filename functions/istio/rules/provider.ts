// A table that determines the cluster's provider. The first row that fits a Node counts.
import type { ClusterFacts, NodeFacts } from './cluster-facts.ts'

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
