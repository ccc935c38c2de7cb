// NetworkPolicies for connections to our Pods: one that denies all, and one for each allowed caller. Outgoing connections are not
// limited, because the addresses of API servers, registries and runtimes are not known here.
import type { KubeObject } from '../../core/objects/object.ts'
import { componentSelector, partLabels, ports } from './conventions.ts'

export const networkPolicies = (namespace: string): KubeObject[] => [
  ingressPolicy(namespace, 'nothing-else', everyPod),
  ingressPolicy(namespace, 'functions-from-relays', hosts, [
    { from: [{ podSelector: relays }], ports: tcp(ports.functions) },
  ]),
  // The API server is no Pod and its address is not known here. This port serves admission only.
  ingressPolicy(namespace, 'webhooks', hosts, [{ ports: tcp(ports.webhooks) }]),
  // Runtimes are other clusters: who may speak is decided by their certificates.
  ingressPolicy(namespace, 'callbacks', hosts, [{ ports: tcp(ports.callbacks) }]),
  ingressPolicy(namespace, 'keys', relays, [
    { from: [{ podSelector: hosts }, { podSelector: relays }], ports: tcp(ports.relay) },
  ]),
  ingressPolicy(namespace, 'metrics', everyPod, [
    { from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }], ports: tcp(ports.probes) },
  ]),
]

/** Lets Knative's proxy receive calls, and its metrics (9090) be read, from any namespace: installations differ in theirs. */
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
