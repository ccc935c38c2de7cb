// The layouts of a landscape, each in a kustomize folder: one host for all functions, one host per function, or Knative; and their common
// base.
import type { FunctionSettings, Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { everywhere, hostAccount, isForOwn, namespacesOf, relayAccess } from '../access.ts'
import { isCalledByRelay } from '../landscape/events.ts'
import { functionService, hostObjects, knativePod } from '../workloads/host.ts'
import { container, containerPorts, type PodParts, probes, volume } from '../workloads/pod.ts'
import { relayObjects, relayRoutes } from '../workloads/relay.ts'
import { componentSelector, partLabels, ports } from './conventions.ts'

export type Files = Record<string, readonly KubeObject[]>

export const base = (landscape: Landscape): Files => ({
  'network-policies': networkPolicies(landscape.provider.namespace),
  relay: relayObjects(landscape),
})

/** Our namespace, and the namespaces of roles, which `npm start` creates. */
export const namespaces = (landscape: Landscape): KubeObject[] => {
  const own = landscape.provider.namespace
  const rules = [...Object.values(landscape.functions).flatMap(settings => settings.access), ...relayAccess(landscape)]
  return [
    ownNamespace(own),
    ...namespacesOf(rules)
      .filter(name => name !== own && !everywhere.includes(name))
      .map(foreignNamespace),
  ]
}

export const oneHost = (landscape: Landscape): Files => ({
  'host-account': hostAccount(landscape).filter(isForOwn(landscape)),
  host: hostObjects(landscape, 'host', Object.keys(landscape.functions)),
  'relay-routes': serviceRoutes(landscape),
})

export const perFunction = (landscape: Landscape): Files => ({
  ...forEachFunction(landscape, name => hostObjects(landscape, name, [name])),
  'relay-routes': serviceRoutes(landscape),
})

const serviceRoutes = (landscape: Landscape): KubeObject[] => [
  relayRoutes(landscape, name => `https://${name}.${landscape.provider.namespace}.svc:${ports.functions}`),
]

/** A Knative Service has the function's name and port 80. */
export const knative = (landscape: Landscape): Files => ({
  ...forEachFunction(landscape, name => knativeObjects(landscape, name)),
  'knative-network-policy': [throughKnative(landscape.provider.namespace)],
  'relay-routes': [relayRoutes(landscape, name => `http://${name}.${landscape.provider.namespace}.svc.cluster.local`)],
})

const knativeObjects = (landscape: Landscape, name: string): KubeObject[] => {
  const settings = landscape.functions[name]
  if (settings === undefined) return []
  const pod = knativePod(landscape, name)
  const { namespace } = landscape.provider
  const direct = isCalledByRelay(settings) ? [] : [functionService({ landscape, name, selector: pod.selector })]
  return [knativeService({ name, namespace }, settings, pod), ...direct]
}

const forEachFunction = (landscape: Landscape, objects: (name: string) => KubeObject[]): Files =>
  Object.fromEntries(Object.keys(landscape.functions).map(name => [name, objects(name)]))

// NetworkPolicies for incoming connections: one policy denies all, and one policy per allowed caller. Outgoing connections are not limited,
// because the addresses of API servers, registries and runtimes are unknown.

const networkPolicies = (namespace: string): KubeObject[] => [
  ingressPolicy(namespace, 'nothing-else', everyPod),
  ingressPolicy(namespace, 'functions-from-relays', hosts, [
    { from: [{ podSelector: relays }], ports: tcp(ports.functions) },
  ]),
  // The API server is not a Pod, and its address is unknown. So all addresses are allowed. This port only serves admission.
  ingressPolicy(namespace, 'webhooks', hosts, [{ ports: tcp(ports.webhooks) }]),
  // Runtimes are other clusters. So all addresses are allowed. The callers' certificates are checked.
  ingressPolicy(namespace, 'callbacks', hosts, [{ ports: tcp(ports.callbacks) }]),
  ingressPolicy(namespace, 'keys', relays, [
    { from: [{ podSelector: hosts }, { podSelector: relays }], ports: tcp(ports.relay) },
  ]),
  ingressPolicy(namespace, 'metrics', everyPod, [
    { from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }], ports: tcp(ports.probes) },
  ]),
]

/** Allows Knative's proxy calls and metrics (9090) from any namespace, because installations use different namespaces. */
const throughKnative = (namespace: string): KubeObject =>
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

// A function as a Knative Service, which can scale to zero. Knative terminates TLS and names the Service. workloads/relay.ts passes the URL
// to the relay.

/** Admission and callback functions keep one Pod, because their callers bypass Knative, so Knative would not start a Pod. */
const knativeService = (
  { name, namespace }: { name: string; namespace: string },
  settings: FunctionSettings,
  pod: PodParts,
): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name, namespace, labels: { ...partLabels, 'networking.knative.dev/visibility': 'cluster-local' } },
  spec: {
    template: {
      metadata: {
        labels: { ...partLabels, ...pod.selector },
        annotations: { 'autoscaling.knative.dev/min-scale': isCalledByRelay(settings) ? '0' : '1' },
      },
      spec: revisionSpec(settings, pod),
    },
  },
})

/** Knative allows one port. The name of the port is its protocol. */
const revisionSpec = (settings: FunctionSettings, pod: PodParts) => ({
  serviceAccountName: pod.serviceAccountName,
  containerConcurrency: settings.concurrency,
  timeoutSeconds: settings.timeout,
  containers: [{ ...container(pod), ports: containerPorts(pod), ...probes }],
  volumes: pod.mounts.map(volume),
})

/** The namespace of hosts and relay. The namespace enforces the restricted Pod Security standard. */
export const ownNamespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    labels: {
      ...partLabels,
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/enforce-version': 'latest',
      'pod-security.kubernetes.io/warn': 'restricted',
      'pod-security.kubernetes.io/audit': 'restricted',
    },
  },
})

/** A namespace of another program. It does not have our labels, so that deleting our objects does not delete the namespace. */
const foreignNamespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})
