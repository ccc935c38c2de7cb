// Takes a Garden down by the rows of deletionOrder. Only the objects of the first row that has objects left are deleted now. If other programs
// have objects of a component's kinds, the component stays and is released, which means that our label is removed. Example: etcd-druid stays
// while a Seed has Etcds. Objects that the component needs, such as its certificate, are released first, so that no killed call loses them.
import { managedResourceKind } from '../../../shared/api/garden/kinds.ts'
import { deletionConfirmation } from '../../../shared/api/garden/operations.ts'
import type { EventNote, Step } from '../../../shared/core/decisions/plan.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { prefixes, protectedLabel } from '../desired/parts/names.ts'
import { reasons } from '../reasons.ts'
import type { World } from '../world.ts'
import type { Flow } from './flow.ts'
import { servesKind } from './objects.ts'
import { ourObjects, releasing } from './ownership.ts'
import { neededFirst } from './references.ts'

type Removal = Pick<Flow, 'writes' | 'percent' | 'waits'> & {
  readonly events: readonly EventNote[]
  readonly isDone: boolean
}

export const takingDown = (world: World): Removal => {
  const objects = ourObjects(world.runtime).filter(object => !isContent(world, object))
  const at = deletionOrder.findIndex(({ takes }) => objects.some(takes))
  const row = deletionOrder[at]
  if (!row) return lastOf(objects)
  const percent = Math.floor((100 * at) / deletionOrder.length)
  const taken = objects.filter(row.takes)
  const kept = taken.filter(object => isShared(world, row, object))
  if (kept.length > 0) return { ...releaseOf(world, kept, objects), percent, waits: [], isDone: false }
  return {
    writes: taken.filter(object => !isDeleting(object)).map(deletionOf),
    waits: taken.map(object => `${refText(refOf(object))}: is still being deleted`),
    percent,
    events: [],
    isDone: false,
  }
}

/** A resource manager applied the object and deletes it, unless the kind ManagedResource is gone. */
const isContent = ({ runtime }: World, { metadata }: KubeObject): boolean =>
  metadata.annotations?.[`${prefixes.resources}/origin`] !== undefined && servesKind(runtime, managedResourceKind)

/** Namespace garden contains objects of users, so the namespace is released, not deleted. */
const lastOf = (objects: readonly KubeObject[]): Removal => ({
  writes: objects.map(releaseStep),
  percent: 100,
  waits: [],
  events: [],
  isDone: objects.length === 0,
})

const isShared = ({ sharedDefinitions = [] }: World, { serves }: DeletionRow, object: KubeObject): boolean =>
  sharedDefinitions.some(definition => serves?.(definition, object))

/** First releases the objects that the kept objects need. Releases the kept objects when all needed objects are released. */
const releaseOf = (
  world: World,
  kept: readonly KubeObject[],
  ours: readonly KubeObject[],
): Pick<Removal, 'writes' | 'events'> => {
  const isOnlyNeeded = ({ kind, metadata }: KubeObject) =>
    kind === 'CustomResourceDefinition' && !world.sharedDefinitions?.includes(metadata.name)
  const needed = [...kept.filter(isOnlyNeeded), ...neededFirst(kept, ours)]
  const released = needed.length > 0 ? needed : kept
  return {
    writes: released.map(releaseStep),
    events: released.filter(isWorthAnEvent).map(object => sharedComponentKept(world, object)),
  }
}

const isWorthAnEvent = ({ kind }: KubeObject): boolean =>
  ['ManagedResource', 'Deployment', 'CustomResourceDefinition'].includes(kind)

const releaseStep = (target: KubeObject): Step => ({ do: 'patch', target, merge: releasing })

const sharedComponentKept = ({ garden }: World, object: KubeObject): EventNote => ({
  type: 'Normal',
  reason: reasons.sharedComponentKept,
  regarding: garden,
  message: `${refText(refOf(object))} is kept, because objects outside this Garden need it`,
})

/** etcd-druid and the webhook for protected kinds refuse a deletion without the confirmation annotation. */
const deletionOf = (target: KubeObject): Step =>
  isProtected(target) && target.metadata.annotations?.[deletionConfirmation] !== 'true'
    ? { do: 'patch', target, merge: { metadata: { annotations: { [deletionConfirmation]: 'true' } } } }
    : { do: 'delete', target }

const isProtected = ({ kind, metadata }: KubeObject): boolean =>
  kind === 'Etcd' || metadata.labels?.[protectedLabel] === 'true'

type DeletionRow = {
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

const deletionOrder: readonly DeletionRow[] = [
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
