// The NetworkPolicies of the mesh as a table. With these NetworkPolicies, the mesh works even if another policy denies all traffic.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { plainMetadata, type ResourceFacts, type ResourceRow, resourceRow } from './resource-row.ts'

type Port = { readonly protocol: 'TCP' | 'UDP'; readonly port: number }
type Peer = { readonly namespaceSelector?: object; readonly podSelector: object }

/** Without `from` or `to` the rule allows all peers, without `ports` all ports. */
type IngressRule = { readonly from?: readonly Peer[]; readonly ports?: readonly Port[] }
type EgressRuleOfMesh = { readonly to?: readonly Peer[]; readonly ports?: readonly Port[] }

type PodLabels = Readonly<Record<string, string>>

const tcp = (...ports: readonly number[]): Port[] => ports.map(port => ({ protocol: 'TCP', port }))

/** DNS queries to any name server. */
const dnsRule: EgressRuleOfMesh = { ports: [{ protocol: 'UDP', port: 53 }, ...tcp(53)] }

const podsHere = (matchLabels: PodLabels): Peer => ({ podSelector: { matchLabels } })

const podsAnywhere = (matchLabels: PodLabels): Peer => ({ namespaceSelector: {}, podSelector: { matchLabels } })

const networking = (name: string) => `networking.kyma-project.io/${name}`

const allowed = (name: string): PodLabels => ({ [networking(name)]: 'allowed' })

const metricsPorts = tcp(15_020, 15_021, 15_090)

/** Pods that may scrape metrics: Pods of Kyma modules, and Pods with the label for scraping. */
const metricsReaders: readonly Peer[] = [
  {
    namespaceSelector: {},
    podSelector: { matchExpressions: [{ key: istioNames.labels.module, operator: 'Exists' }] },
  },
  podsAnywhere(allowed('istio-metrics')),
  podsAnywhere(allowed('metrics-scraping')),
]

const { labels, module, namespaces } = istioNames

type PolicyOfMesh = {
  readonly name: string
  readonly namespace?: string
  readonly pods: PodLabels
  /** Rules for incoming traffic. Absent: incoming traffic is not restricted. */
  readonly in?: readonly IngressRule[]
  readonly out?: (facts: ResourceFacts) => readonly EgressRuleOfMesh[]
}

const pilot = { istio: 'pilot' }
const ingress = { istio: 'ingressgateway' }
const egress = { istio: 'egressgateway' }
const metrics: IngressRule = { from: metricsReaders, ports: metricsPorts }
const namesAndApi = ({ apiPort }: ResourceFacts): EgressRuleOfMesh[] => [dnsRule, { ports: tcp(apiPort) }]

const policies: readonly PolicyOfMesh[] = [
  { name: 'istio-cni-node', pods: { 'k8s-app': 'istio-cni-node' }, out: namesAndApi },
  {
    name: 'istio-ingressgateway',
    pods: ingress,
    in: [{ ports: tcp(8080, 8443) }, metrics],
    out: () => [{ to: [podsHere(pilot)], ports: tcp(15_012) }, dnsRule],
  },
  {
    name: 'istio-ingressgateway-egress',
    pods: ingress,
    out: () => [{ to: [podsAnywhere(allowed('from-ingressgateway'))] }],
  },
  {
    name: 'istio-egressgateway',
    pods: egress,
    in: [{ from: [podsAnywhere(allowed('to-egressgateway'))] }, metrics],
    out: () => [{}],
  },
  {
    name: 'istio-pilot',
    pods: pilot,
    in: [
      {
        from: [podsAnywhere({ 'security.istio.io/tlsMode': 'istio' }), podsHere(ingress), podsHere(egress)],
        ports: tcp(15_012),
      },
      { from: metricsReaders, ports: tcp(15_014) },
      { ports: tcp(15_017) },
    ],
    out: namesAndApi,
  },
  { name: 'istio-pilot-jwks', pods: pilot, out: () => [{ ports: tcp(80, 443) }] },
  {
    name: 'allow-istio-controller-manager',
    namespace: namespaces.control,
    pods: { [labels.module]: module, 'app.kubernetes.io/name': 'istio-operator' },
    out: namesAndApi,
  },
]

const kind = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' } as const

const rowOf = (policy: PolicyOfMesh): ResourceRow =>
  resourceRow({
    kind,
    namespace: policy.namespace,
    name: `kyma-project.io--${policy.name}`,
    when: ({ hasNetworkPolicies }) => hasNetworkPolicies,
    metadata: (ref, facts) => plainMetadata(ref, facts, { 'kyma-project.io/managed-by': 'kyma' }),
    spec: facts => specOf(policy, facts),
  })

const specOf = ({ pods, in: ingress, out }: PolicyOfMesh, facts: ResourceFacts) => ({
  podSelector: { matchLabels: pods },
  policyTypes: [...(ingress ? ['Ingress'] : []), ...(out ? ['Egress'] : [])],
  ...(ingress && { ingress }),
  ...(out && { egress: out(facts) }),
})

export const meshPolicies: readonly ResourceRow[] = policies.map(rowOf)
