// Who may open connections to our Pods: nobody, and then one policy for each that may. Where our Pods connect to is left
// open, because the addresses of API servers, registries and runtimes are not known here.
import type { KubeObject } from '../../core/object.ts'
import { componentSelector, partLabels, ports } from './conventions.ts'

export const networkPolicies = (namespace: string): KubeObject[] => [
  ingressPolicy(namespace, 'nothing-else', everyPod),
  ingressPolicy(namespace, 'functions-from-relays', hosts, [
    { from: [{ podSelector: relays }], ports: tcp(ports.functions) },
  ]),
  // The API server is no Pod and its address not known here; this listener serves admission and nothing else.
  ingressPolicy(namespace, 'webhooks', hosts, [{ ports: tcp(ports.webhooks) }]),
  ingressPolicy(namespace, 'keys', relays, [
    { from: [{ podSelector: hosts }, { podSelector: relays }], ports: tcp(ports.relay) },
  ]),
  ingressPolicy(namespace, 'metrics', everyPod, [
    { from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }], ports: tcp(ports.probes) },
  ]),
]

/**
 * Knative's proxy in each Pod takes the calls, from gateways and activators, and is asked by the autoscaler how many there
 * are (9090); the namespaces of all of them differ by installation.
 */
export const throughKnative = (namespace: string): KubeObject =>
  ingressPolicy(namespace, 'functions-through-knative', hosts, [{ ports: [8012, 8112, 9090].flatMap(tcp) }])

const everyPod = {}
const hosts = componentSelector('host')
const relays = componentSelector('relay')

const ingressPolicy = (
  namespace: string,
  name: string,
  podSelector: object,
  ingress?: readonly object[],
): KubeObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, namespace, labels: partLabels },
  spec: { podSelector, policyTypes: ['Ingress'], ...(ingress ? { ingress } : {}) },
})

const tcp = (port: number) => [{ protocol: 'TCP', port }]
