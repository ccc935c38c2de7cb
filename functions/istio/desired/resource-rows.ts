// All mesh resources, in order of application. With the NetworkPolicies, the mesh works even if another policy denies all traffic. If the
// cluster does not serve VerticalPodAutoscalers, none is applied.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { plainMetadata, type ResourceFacts, type ResourceRow, resourceMetadata, resourceRow } from './resource-row.ts'

export const envoyFilterKind = { apiVersion: 'networking.istio.io/v1alpha3', kind: 'EnvoyFilter' } as const

/** Pods of the mesh accept only mTLS, unless a user's PeerAuthentication permits plain text in a namespace. */
const peerAuthentication = resourceRow({
  kind: { apiVersion: 'security.istio.io/v1', kind: 'PeerAuthentication' },
  name: 'default',
  when: () => true,
  spec: () => ({ mtls: { mode: 'STRICT' } }),
})

const proxyProtocolFilter = {
  name: 'proxy_protocol',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol' },
}

/** Lets the ingress gateway read the client's address from the load balancer. */
const proxyProtocol = resourceRow({
  kind: envoyFilterKind,
  name: 'proxy-protocol',
  when: ({ needsProxyProtocol }) => needsProxyProtocol,
  spec: () => ({
    workloadSelector: { labels: { istio: 'ingressgateway' } },
    configPatches: [{ applyTo: 'LISTENER_FILTER', patch: { operation: 'INSERT_FIRST', value: proxyProtocolFilter } }],
  }),
})

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

const allowed = (name: string): PodLabels => ({ [`networking.kyma-project.io/${name}`]: 'allowed' })

/** Pods that may scrape metrics: Pods of Kyma modules, and Pods with the label for scraping. */
const metricsReaders: readonly Peer[] = [
  { namespaceSelector: {}, podSelector: { matchExpressions: [{ key: istioNames.labels.module, operator: 'Exists' }] } },
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
const metrics: IngressRule = { from: metricsReaders, ports: tcp(15_020, 15_021, 15_090) }
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

const rowOf = (policy: PolicyOfMesh): ResourceRow =>
  resourceRow({
    kind: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
    namespace: policy.namespace,
    name: `kyma-project.io--${policy.name}`,
    when: ({ hasNetworkPolicies }) => hasNetworkPolicies,
    metadata: (ref, facts) => plainMetadata(ref, facts, { 'kyma-project.io/managed-by': 'kyma' }),
    spec: facts => policySpec(policy, facts),
  })

const policySpec = ({ pods, in: ingress, out }: PolicyOfMesh, facts: ResourceFacts) => ({
  podSelector: { matchLabels: pods },
  policyTypes: [...(ingress ? ['Ingress'] : []), ...(out ? ['Egress'] : [])],
  ...(ingress && { ingress }),
  ...(out && { egress: out(facts) }),
})

export const vpaKind = { apiVersion: 'autoscaling.k8s.io/v1', kind: 'VerticalPodAutoscaler' } as const

const operatorVpa = resourceRow({
  kind: vpaKind,
  namespace: istioNames.namespaces.control,
  name: 'istio-operator-vpa',
  when: ({ isVpaServed }) => isVpaServed,
  spec: ({ deployment }) =>
    autoscalerSpec('Deployment', deployment, {
      containerName: 'manager',
      minAllowed: { cpu: '10m', memory: '64Mi' },
      maxAllowed: { cpu: '10000m', memory: '16Gi' },
    }),
})

type ScaledWorkload = {
  readonly kind: 'Deployment' | 'DaemonSet'
  readonly name: string
  /** The value of label `app.kubernetes.io/component`. */
  readonly component: string
  readonly container: string
  readonly memory: string
}

const workloads: readonly ScaledWorkload[] = [
  { kind: 'Deployment', name: 'istiod', component: 'pilot', container: 'discovery', memory: '512Mi' },
  { kind: 'DaemonSet', name: 'istio-cni-node', component: 'cni', container: 'install-cni', memory: '512Mi' },
  {
    kind: 'Deployment',
    name: 'istio-ingressgateway',
    component: 'ingressgateway',
    container: 'istio-proxy',
    memory: '128Mi',
  },
  {
    kind: 'Deployment',
    name: 'istio-egressgateway',
    component: 'egressgateway',
    container: 'istio-proxy',
    memory: '128Mi',
  },
]

const workloadVpa = ({ kind, name, component, container, memory }: ScaledWorkload): ResourceRow => {
  const labels = {
    'app.kubernetes.io/component': component,
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/instance': `${name}-default`,
  }
  return resourceRow({
    kind: vpaKind,
    name: `${name}-vpa`,
    when: ({ isVpaServed, hasControlPlaneVpas }) => isVpaServed && hasControlPlaneVpas,
    metadata: (ref, facts) => resourceMetadata(ref, facts, labels),
    spec: () =>
      autoscalerSpec(kind, name, {
        containerName: container,
        controlledResources: ['memory'],
        controlledValues: 'RequestsAndLimits',
        minAllowed: { memory },
        maxAllowed: { memory: '16Gi' },
      }),
  })
}

const autoscalerSpec = (kind: ScaledWorkload['kind'], name: string, containerPolicy: object) => ({
  targetRef: { apiVersion: 'apps/v1', kind, name },
  updatePolicy: { updateMode: 'InPlaceOrRecreate', minReplicas: 1 },
  resourcePolicy: { containerPolicies: [containerPolicy] },
})

export const resourceRows: readonly ResourceRow[] = [
  peerAuthentication,
  proxyProtocol,
  ...policies.map(rowOf),
  operatorVpa,
  ...workloads.map(workloadVpa),
]
