// What the table of NetworkPolicies is written with: ports, and peers, the Pods on the other side.
import { istioNames } from '../../../../shared/api/istio/names.ts'

type Port = { readonly protocol: 'TCP' | 'UDP'; readonly port: number }
type Peer = { readonly namespaceSelector?: object; readonly podSelector: object }

/** Without peers the rule allows everybody, without ports all ports. */
export type IngressRule = { readonly from?: readonly Peer[]; readonly ports?: readonly Port[] }
export type EgressRuleOfMesh = { readonly to?: readonly Peer[]; readonly ports?: readonly Port[] }

export type PodLabels = Readonly<Record<string, string>>

export const tcp = (...ports: readonly number[]): Port[] => ports.map(port => ({ protocol: 'TCP', port }))

/** DNS, at any name server. */
export const dnsRule: EgressRuleOfMesh = { ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)] }

export const podsHere = (matchLabels: PodLabels): Peer => ({ podSelector: { matchLabels } })

export const podsAnywhere = (matchLabels: PodLabels): Peer => ({ namespaceSelector: {}, podSelector: { matchLabels } })

const networking = (name: string) => `networking.kyma-project.io/${name}`

export const allowed = (name: string): PodLabels => ({ [networking(name)]: 'allowed' })

/** The ports at which proxies serve metrics and health. */
export const metricsPorts = tcp(15_020, 15_021, 15_090)

/** Pods that may read metrics: those of Kyma's modules, and those with a label for it. */
export const metricsReaders: readonly Peer[] = [
  {
    namespaceSelector: {},
    podSelector: { matchExpressions: [{ key: istioNames.labels.module, operator: 'Exists' }] },
  },
  podsAnywhere(allowed('istio-metrics')),
  podsAnywhere(allowed('metrics-scraping')),
]
