// Whom the agent may talk to, and who may talk to it, where a runtime allows nothing else. Neither where API servers are nor from where
// they call is known here, so ports alone are told.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { type Agent, agentMetadata, agentPods, agentPorts } from './agent.ts'

export const agentNetworkPolicies = (agent: Agent): KubeObject[] =>
  rows(agent).map(({ name, direction, rule }) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: agentMetadata(`kyma-project.io--${name}`, agent.namespace),
    spec: {
      podSelector: { matchLabels: agentPods },
      policyTypes: [direction],
      [direction.toLowerCase()]: [rule],
    },
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

/** Of Pods that scrape metrics in a runtime. */
const scrapers = { 'networking.kyma-project.io/metrics-scraping': 'allowed' }

const tcp = (port: number) => ({ protocol: 'TCP', port })
const udp = (port: number) => ({ protocol: 'UDP', port })

const portOf = (address: string): number => Number(address.slice(address.lastIndexOf(':') + 1))
