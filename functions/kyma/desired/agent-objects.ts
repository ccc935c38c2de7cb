// All objects of the agent in a runtime, in the order of their creation. Objects that direct requests to the agent come last.
import { type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'
import {
  type Agent,
  agentDeployment,
  agentMetadata,
  agentName,
  agentPods,
  agentPorts,
  priorityClassName,
  tlsSecretName,
  webhookConfiguration,
} from './agent.ts'

export const agentObjects = (agent: Agent): readonly KubeObject[] => [
  priorityClass(),
  agentServiceAccount(agent),
  clusterRole(agent),
  clusterRoleBinding(agent),
  tlsSecret(agent),
  ...agentNetworkPolicies(agent),
  service(agent, agentName, { name: 'webhook', port: 443, targetPort: agentPorts.webhook }),
  service(agent, `${agentName}-metrics`, { name: 'metrics', port: agentPorts.metrics, targetPort: agentPorts.metrics }),
  agentDeployment(agent),
  webhookConfiguration(agent),
]

/** All possible objects of the agent, in the order of deletion. Objects that direct requests to the agent come first. */
export const agentRefs = (namespace: string): readonly ObjectRef[] =>
  agentObjects({ ...unconfigured, namespace })
    .map(refOf)
    .toReversed()

const unconfigured = {
  limits: { cpu: '', memory: '' },
  image: '',
  eventAddress: '',
  watchers: [],
  certificate: { 'ca.crt': '', 'tls.crt': '', 'tls.key': '' },
} as const

const agentServiceAccount = ({ namespace }: Agent): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: agentMetadata(agentName, namespace),
})

/** With this priority, the agent runs and sends events even in a crowded runtime. */
const priorityClass = (): KubeObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: agentMetadata(priorityClassName),
  description: 'For the agent that reports changes to the control plane',
  value: 1_000_000_000,
})

const tlsSecret = ({ namespace, certificate }: Agent): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: agentMetadata(tlsSecretName, namespace),
  type: 'Opaque',
  data: { ...certificate },
})

const service = ({ namespace }: Agent, name: string, port: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: agentMetadata(name, namespace),
  spec: { selector: agentPods, ports: [{ ...port, protocol: 'TCP' }] },
})

const apiGroup = 'rbac.authorization.k8s.io'
/** The agent only watches. It reads only the metadata of Secrets, but RBAC has no verb for metadata. */
const verbs = ['list', 'watch']

/** Kinds that the agent may read: its own ValidatingWebhookConfiguration, and the kinds that Watchers name. */
const clusterRole = ({ watchers }: Agent): KubeObject => ({
  apiVersion: `${apiGroup}/v1`,
  kind: 'ClusterRole',
  metadata: agentMetadata(agentName),
  rules: [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
      resourceNames: [agentName],
      verbs,
    },
    ...watchedResources(watchers).map(([group, resources]) => ({ apiGroups: [group], resources, verbs })),
  ],
})

/** Resources by group, in a fixed order. `*` is omitted, because the agent cannot watch `*` and has no right to do so. */
const watchedResources = (watchers: Agent['watchers']): [string, string[]][] => {
  const watched = watchers
    .map(({ spec }) => spec.resourceToWatch)
    .filter(({ group, resource }) => ![group, resource].some(text => text.includes('*')))
  return [...Map.groupBy(watched, ({ group }) => group)]
    .map(([group, some]): [string, string[]] => [group, [...new Set(some.map(({ resource }) => resource))].sort()])
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

const clusterRoleBinding = ({ namespace }: Agent): KubeObject => ({
  apiVersion: `${apiGroup}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: agentMetadata(agentName),
  roleRef: { apiGroup, kind: 'ClusterRole', name: agentName },
  subjects: [{ kind: 'ServiceAccount', name: agentName, namespace }],
})

/** The permitted connections of the agent. Policies name only ports, because the addresses of API servers are unknown. */
const agentNetworkPolicies = (agent: Agent): KubeObject[] =>
  rows(agent).map(({ name, direction, rule }) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: agentMetadata(`kyma-project.io--${name}`, agent.namespace),
    spec: { podSelector: { matchLabels: agentPods }, policyTypes: [direction], [direction.toLowerCase()]: [rule] },
  }))

type Row = { readonly name: string; readonly direction: 'Ingress' | 'Egress'; readonly rule: object }

const rows = ({ eventAddress }: Agent): Row[] => [
  { name: 'seed-to-watcher', direction: 'Ingress', rule: { ports: [tcp(agentPorts.webhook)] } },
  {
    name: 'watcher-to-apiserver',
    direction: 'Egress',
    rule: { ports: [...new Set([443, 6443, portOf(eventAddress)])].map(tcp) },
  },
  {
    name: 'metrics-to-watcher',
    direction: 'Ingress',
    rule: {
      from: [{ namespaceSelector: {}, podSelector: { matchLabels: scrapers } }],
      ports: [tcp(agentPorts.metrics)],
    },
  },
  { name: 'watcher-to-dns', direction: 'Egress', rule: { ports: [53, 8053].flatMap(port => [tcp(port), udp(port)]) } },
]

/** Label of Pods that may scrape metrics in a runtime. */
const scrapers = { 'networking.kyma-project.io/metrics-scraping': 'allowed' }

const tcp = (port: number) => ({ protocol: 'TCP', port })
const udp = (port: number) => ({ protocol: 'UDP', port })

const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1))
