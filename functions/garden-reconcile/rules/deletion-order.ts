// The order in which a Garden's objects are deleted. Only the objects of the first row that has objects left are deleted now.
import type { KubeObject } from '../../../shared/core/objects/object.ts'

export type DeletionRow = {
  readonly name: string
  readonly takes: (object: KubeObject) => boolean
  /** Whether objects of the row serve this CustomResourceDefinition. If so, they stay while its kind has objects of other programs. */
  readonly serves?: (definition: string, taken: KubeObject) => boolean
}

const managedResources =
  (...names: readonly string[]) =>
  ({ kind, metadata }: KubeObject): boolean =>
    kind === 'ManagedResource' && names.includes(metadata.name)

/** Workloads whose name equals, or begins with, one of these names. Secrets and ConfigMaps are deleted in the last row. */
const workload =
  (...names: readonly string[]) =>
  ({ kind, metadata }: KubeObject): boolean =>
    !['Secret', 'ConfigMap', 'ManagedResource'].includes(kind) &&
    names.some(name => metadata.name === name || metadata.name.startsWith(`${name}-`))

const either =
  (...tests: readonly DeletionRow['takes'][]) =>
  (object: KubeObject): boolean =>
    tests.some(test => test(object))

const isKind =
  (...kinds: readonly string[]) =>
  ({ kind }: KubeObject): boolean =>
    kinds.includes(kind)

const runtimeAndVirtual = (name: string): readonly string[] => [`${name}-virtual`, `${name}-runtime`]

const namespaces =
  (test: (name: string) => boolean) =>
  ({ kind, metadata }: KubeObject): boolean =>
    kind === 'Namespace' && test(metadata.name)

const ofGroup =
  (group: string) =>
  (definition: string): boolean =>
    definition.endsWith(`.${group}`)

const definitions = {
  resources: ofGroup('resources.gardener.cloud'),
  etcds: ofGroup('druid.gardener.cloud'),
  autoscalers: ofGroup('autoscaling.k8s.io'),
  logging: ofGroup('fluentbit.fluent.io'),
  istio: ofGroup('istio.io'),
} as const

/** For example, `druid.gardener.cloud` of `etcds.druid.gardener.cloud`. */
const groupIn = (definition: string): string => definition.slice(definition.indexOf('.') + 1)

const ofControlPlane = [
  ...['gardener-admission-controller', 'gardener-controller-manager', 'gardener-discovery-server'],
  'gardener-scheduler',
]

export const deletionOrder: readonly DeletionRow[] = [
  {
    name: 'observability',
    takes: managedResources('kube-state-metrics', 'plutono', ...runtimeAndVirtual('gardener-metrics-exporter')),
  },
  { name: 'gardener-control-plane', takes: managedResources(...ofControlPlane.flatMap(runtimeAndVirtual)) },
  { name: 'gardener-apiserver', takes: managedResources(...runtimeAndVirtual('gardener-apiserver')) },
  { name: 'virtual-system', takes: managedResources('garden-system-virtual') },
  { name: 'access', takes: managedResources('shoot-core-gardeneraccess') },
  {
    name: 'controller-manager',
    takes: either(
      managedResources('shoot-core-kube-controller-manager'),
      workload('virtual-garden-kube-controller-manager'),
    ),
  },
  { name: 'virtual-resource-manager', takes: managedResources('shoot-core-gardener-resource-manager') },
  { name: 'virtual-resource-manager itself', takes: workload('virtual-garden-gardener-resource-manager') },
  { name: 'apiserver-sni', takes: isKind('Gateway', 'VirtualService', 'DestinationRule') },
  { name: 'apiserver', takes: workload('virtual-garden-kube-apiserver') },
  { name: 'etcds', takes: isKind('Etcd') },
  { name: 'druid', takes: managedResources('etcd-druid'), serves: definitions.etcds },
  { name: 'autoscaler', takes: managedResources('vpa'), serves: definitions.autoscalers },
  { name: 'runtime-components', takes: managedResources('nginx-ingress') },
  {
    name: 'logging',
    takes: managedResources('fluent-operator-custom-resources-garden', 'fluent-bit'),
  },
  { name: 'fluent-operator', takes: managedResources('fluent-operator'), serves: definitions.logging },
  { name: 'vali and istio-gateway', takes: managedResources('vali', 'virtual-garden-istio') },
  { name: 'istio', takes: managedResources('istio-system'), serves: definitions.istio },
  { name: 'istio-namespace', takes: namespaces(name => name === 'istio-system'), serves: definitions.istio },
  { name: 'gateway-namespace', takes: namespaces(name => !['garden', 'istio-system'].includes(name)) },
  { name: 'garden-system', takes: managedResources('garden-system'), serves: definitions.resources },
  { name: 'managed-resources', takes: isKind('ManagedResource') },
  {
    name: 'resource-manager',
    takes: either(
      workload('gardener-resource-manager'),
      isKind('MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'),
    ),
    serves: definitions.resources,
  },
  {
    name: 'definitions',
    takes: isKind('CustomResourceDefinition'),
    // A component needs the CustomResourceDefinitions of all kinds in its API group.
    serves: (definition, { metadata }) => groupIn(definition) === groupIn(metadata.name),
  },
  { name: 'rest', takes: object => !isKind('Namespace')(object) },
]
