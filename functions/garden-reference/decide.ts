// Decides which finalizers garden-reference adds and removes. Each pass makes the first move that has steps. New objects are protected
// before old objects are released. The Garden is protected, and released, after its objects.
import { gardenReferences, isReferredTo, type Reference } from '../../shared/api/garden/references.ts'
import { referenceProtectionFinalizer as finalizer } from '../../shared/api/garden.ts'
import { type Next, type Plan, settled } from '../../shared/core/decisions/plan.ts'
import { remembered } from '../../shared/core/memory/remembered.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import { isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import { heldByOthers, missing, referencedObjectMissing } from './reasons.ts'
import { isProtected, type World } from './world.ts'

type Move = { do: 'addFinalizer' | 'removeFinalizer'; to: (world: World) => readonly KubeObject[] }

const moves: readonly Move[] = [
  { do: 'addFinalizer', to: world => needed(world).filter(canBeProtected) },
  { do: 'addFinalizer', to: world => (guards(world) ? [world.garden].filter(canBeProtected) : []) },
  { do: 'removeFinalizer', to: world => world.objects.filter(isProtected).filter(object => !isNeeded(world, object)) },
  { do: 'removeFinalizer', to: world => (guards(world) ? [] : [world.garden].filter(isProtected)) },
]

/** Settled only if there are no steps. After a pass with steps, another pass follows. */
export const decide = (world: World): Plan => {
  const steps = moves
    .map(move => move.to(world).map(target => ({ do: move.do, target, finalizer })))
    .find(targets => targets.length > 0)
  if (steps) return { steps, status: {}, events: [], next: settled }
  const absent = needsOf(world.garden).filter(reference => !isThere(world, reference))
  return { steps: [], status: {}, events: absent.map(referencedObjectMissing), next: nextOf(world.garden, absent) }
}

const nextOf = (garden: Garden, absent: readonly Reference[]): Next => {
  if (absent.length > 0) return { is: 'waiting', seconds: 30, for: missing(absent) }
  if (isDeleting(garden) && isProtected(garden))
    return { is: 'waiting', seconds: 10, for: heldByOthers(otherFinalizers(garden)) }
  return settled
}

/**
 * A Garden in deletion needs its references only while it has finalizers of other programs. Without our finalizer it needs none: it may be
 * gone before the next call, and its objects would stay protected. Cached, because every object is checked.
 */
const needsOf = remembered((garden: Garden): readonly Reference[] =>
  !isDeleting(garden) || (isProtected(garden) && otherFinalizers(garden).length > 0) ? gardenReferences(garden) : [],
)

const otherFinalizers = ({ metadata }: Garden): readonly string[] =>
  (metadata.finalizers ?? []).filter(name => name !== finalizer)

const needed = ({ garden, objects }: World): readonly KubeObject[] =>
  objects.filter(object => isReferredTo(object, needsOf(garden)))

const isNeeded = ({ garden, gardens }: World, object: KubeObject): boolean =>
  isReferredTo(object, [garden, ...gardens].flatMap(needsOf))

/** Whether the Garden refers to a protected object. */
const guards = (world: World): boolean => needed(world).some(isProtected)

const isThere = ({ objects }: World, reference: Reference): boolean =>
  objects.some(object => isReferredTo(object, [reference]) && (isProtected(object) || !isDeleting(object)))

/** The API server refuses a new finalizer on an object in deletion. */
const canBeProtected = (object: KubeObject): boolean => !isProtected(object) && !isDeleting(object)
