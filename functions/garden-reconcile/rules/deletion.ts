// Takes a Garden down: the rows of deletion-order.ts from top to bottom. A component whose kinds others use too, such as a Seed in the
// same cluster, stays with them: it loses our label, and so does what it reads.
import { isDeleting, type KubeObject, refOf, refText } from '../../../shared/core/object.ts'
import type { EventNote, Step } from '../../../shared/core/plan.ts'
import { reasons } from '../reasons.ts'
import type { World } from '../world.ts'
import { type DeletionRow, deletionOrder } from './deletion-order.ts'
import type { Flow } from './flow.ts'
import { ourObjects, releasing } from './ours.ts'

export type Removal = Pick<Flow, 'writes' | 'percent' | 'waits'> & {
  readonly events: readonly EventNote[]
  /** Nothing of ours is left that others do not use. */
  readonly isDone: boolean
}

export const takingDown = (world: World): Removal => {
  const objects = ourObjects(world.runtime)
  const at = deletionOrder.findIndex(({ takes }) => objects.some(takes))
  const row = deletionOrder[at]
  if (!row) return lastOf(objects)
  const percent = Math.floor((100 * at) / deletionOrder.length)
  const taken = objects.filter(row.takes)
  const kept = taken.filter(object => isShared(world, row, object))
  if (kept.length > 0) return { ...releaseOf(world, kept), percent, waits: [], isDone: false }
  return {
    writes: taken.filter(object => !isDeleting(object)).map(deletionOf),
    waits: taken.map(object => `${refText(refOf(object))}: is in deletion yet`),
    ...{ percent, events: [], isDone: false },
  }
}

/** Namespace garden holds what people put there: it stays and is no longer ours. */
const lastOf = (objects: readonly KubeObject[]): Removal => ({
  writes: objects.map(releaseStep),
  ...{ percent: 100, waits: [], events: [], isDone: objects.length === 0 },
})

const isShared = ({ sharedDefinitions = [] }: World, { serves, name }: DeletionRow, object: KubeObject): boolean => {
  if (name === 'definitions') return sharedDefinitions.includes(object.metadata.name)
  if (name === 'rest') return isOfSharedComponent(sharedDefinitions, object)
  return serves !== undefined && sharedDefinitions.some(definition => serves.test(definition))
}

/** What a resource manager that stays reads: contents of its ManagedResources, its own certificates, and priorities of its Pods. */
const isOfSharedComponent = (sharedDefinitions: readonly string[], { kind, metadata }: KubeObject): boolean =>
  sharedDefinitions.some(definition => definition.endsWith('.resources.gardener.cloud')) &&
  (kind === 'PriorityClass' || keptNames.test(metadata.name))

const keptNames =
  /^(managedresource-(etcd-druid|vpa|fluent-operator|istio-system|garden-system)-|gardener-resource-manager|ca-garden-runtime)/

const releaseOf = (world: World, objects: readonly KubeObject[]): Pick<Removal, 'writes' | 'events'> => ({
  writes: objects.map(releaseStep),
  events: objects.filter(({ kind }) => kind !== 'Secret').map(object => sharedComponentKept(world, object)),
})

const releaseStep = (target: KubeObject): Step => ({ do: 'patch', target, merge: releasing })

const sharedComponentKept = ({ garden }: World, object: KubeObject): EventNote => ({
  ...{ type: 'Normal', reason: reasons.sharedComponentKept, regarding: garden },
  message: `${refText(refOf(object))} is kept, since others in this cluster need it`,
})

const confirmation = 'confirmation.gardener.cloud/deletion'

/** Of an Etcd its operator deletes nothing that nobody has confirmed. */
const deletionOf = (target: KubeObject): Step =>
  target.kind === 'Etcd' && target.metadata.annotations?.[confirmation] !== 'true'
    ? { do: 'patch', target, merge: { metadata: { annotations: { [confirmation]: 'true' } } } }
    : { do: 'delete', target }
