// Takes a Garden down by the rows of deletion-order.ts. If other programs have objects of a component's kinds, the component stays and is
// released, which means that our label is removed. Example: etcd-druid stays while a Seed has Etcds. Objects that the component needs, such
// as its certificate, are released first. So a call that is killed in between does not lose track of them.
import { managedResourceKind } from '../../../shared/api/garden/kinds.ts'
import { deletionConfirmation } from '../../../shared/api/garden/operations.ts'
import type { EventNote, Step } from '../../../shared/core/decisions/plan.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { prefixes, protectedLabel } from '../desired/parts/names.ts'
import { reasons } from '../reasons.ts'
import type { World } from '../world.ts'
import { type DeletionRow, deletionOrder } from './deletion-order.ts'
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
