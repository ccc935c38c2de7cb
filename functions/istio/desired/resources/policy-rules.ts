// Words for the table of network policies: ports, and the Pods on the other side.
import { istioNames } from '../../../../shared/api/istio/names.ts'

type Port = { readonly protocol: 'TCP' | 'UDP'; readonly port: number }
type Peer = { readonly namespaceSelector?: object; readonly podSelector: object }

/** Without peers it is about everybody, without ports about all ports. */
export type IngressRule = { readonly from?: readonly Peer[]; readonly ports?: readonly Port[] }
export type EgressRuleOfMesh = { readonly to?: readonly Peer[]; readonly ports?: readonly Port[] }

export type PodLabels = Readonly<Record<string, string>>

export const tcp = (...ports: readonly number[]): Port[] => ports.map(port => ({ protocol: 'TCP', port }))

/** To ask any name server. */
export const dnsRule: EgressRuleOfMesh = { ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)] }

/** In the namespace of the policy. */
export const podsHere = (matchLabels: PodLabels): Peer => ({ podSelector: { matchLabels } })

export const podsAnywhere = (matchLabels: PodLabels): Peer => ({ namespaceSelector: {}, podSelector: { matchLabels } })

const networking = (name: string) => `networking.kyma-project.io/${name}`

export const allowed = (name: string): PodLabels => ({ [networking(name)]: 'allowed' })

/** Where proxies tell metrics and health. */
export const metricsPorts = tcp(15_020, 15_021, 15_090)

/** Who may read metrics: Kyma's modules, and Pods that say so. */
export const metricsReaders: readonly Peer[] = [
  {
    namespaceSelector: {},
    podSelector: { matchExpressions: [{ key: istioNames.labels.module, operator: 'Exists' }] },
  },
  podsAnywhere(allowed('istio-metrics')),
  podsAnywhere(allowed('metrics-scraping')),
]
