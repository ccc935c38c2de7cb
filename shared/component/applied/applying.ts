// Plans a component that is not being deleted: keeps its dependents as declared, wave by wave. A stage starts when all earlier stages are
// ready and all earlier purges are done. When all dependents are ready, objects that are no longer declared are removed.
import type { Step } from '../../core/decisions/plan.ts'
import { isDeleting, type KubeObject, refOf } from '../../core/objects/object.ts'
import { type Dependent, isRegular, typesBroughtBy } from '../declared/dependent.ts'
import { isManaged, ofAnyVersion, typeOf, unavailableKinds } from '../declared/kinds.ts'
import { survivalFaults } from '../declared/order-faults.ts'
import { inOrder, updatedInventory } from '../inventory.ts'
import { completedItem, type Item, type ItemKey, itemKey, refOfItem, storedItems } from '../item.ts'
import { adoptionFault, isOwnedByUs } from '../ownership.ts'
import { removeItems } from '../removed/removal.ts'
import {
  type Draft,
  earliest,
  isDone,
  type Note,
  noProgress,
  type Progress,
  plainFault,
  together,
} from '../reported/dependents-status.ts'
import { priorityOf } from '../settings.ts'
import { type EngineInput, lacksNamespace, stepTo, type World } from '../world.ts'
import { type DependentAction, dependentAction, observedOnly } from './dependent-action.ts'
import type { DependentCase } from './write-cause.ts'

export const applying = (world: World, declared: readonly Dependent[], now: Date): Draft => {
  const dependents = declared.filter(isRegular)
  const refusals = [...adoptionRefusals(dependents, world), ...survivalFaults(dependents, world)]
  if (refusals.length > 0) return refused(world, refusals)
  const { items, hasAdded, hasChanged } = updatedInventory(dependents, world)
  const excess = hasAdded && inventoryExcess(items)
  if (excess) return refused(world, [excess])
  if (hasAdded) return { hasChanged, progress: { ...noProgress, items, mustSave: true } }
  const kept = keepWaveByWave({ world, now, dependents, items: new Map(items.map(item => [itemKey(item), item])) })
  const progress = together([kept, leftovers(items, kept, world)])
  return { hasChanged, progress: { ...progress, items: inOrder(progress.items, world) } }
}

const refused = ({ items }: World, faults: readonly string[]): Draft => ({
  hasChanged: false,
  progress: { ...noProgress, items, errors: faults.map(plainFault) },
})

/** Faults of new dependents whose objects exist and must not be adopted. */
const adoptionRefusals = (dependents: readonly Dependent[], world: World): string[] => {
  const known = new Set(world.items.map(itemKey))
  return dependents.flatMap(({ key, policies }) => {
    const live = known.has(key) ? undefined : world.observed.live.get(key)
    return (live && adoptionFault(live, policies.adoptionPolicy, world)) ?? []
  })
}

const leftovers = (items: readonly Item[], kept: Progress, world: World): Progress => {
  const keys = new Set(kept.items.map(itemKey))
  const left = items.filter(item => !keys.has(itemKey(item)))
  return isDone(kept) ? removeItems({ world, items: left, staying: kept.items }) : notYet(left)
}

const notYet = (items: readonly Item[]): Progress => ({
  ...noProgress,
  items,
  redundant: items.map(item => ({ ref: refOfItem(item), message: 'waits until all other dependents are ready' })),
})

type Keeping = {
  readonly world: World
  readonly now: Date
  readonly dependents: readonly Dependent[]
  readonly items: ReadonlyMap<ItemKey, Item>
}

export const keepWaveByWave = (keeping: Keeping): Progress => {
  const looked = new Map<ItemKey, DependentAction>()
  for (const turn of turns(keeping)) {
    const actions = turn(looked)
    for (const action of actions) looked.set(action.dependent.key, action)
    if (!actions.every(letsOthersBegin)) break
  }
  const others = keeping.dependents.filter(({ key }) => !looked.has(key))
  // Messages first list the dependents of the current stage, because later dependents wait for them.
  const actions = [...looked.values(), ...others.map(dependent => observedOnly(caseOf(dependent, keeping, looked)))]
  return { ...progressOf(actions), steps: stepsOf(actions, keeping.world) }
}

type Looked = ReadonlyMap<ItemKey, DependentAction>
type Turn = (looked: Looked) => DependentAction[]

/** The turns in order. The next turn starts when each earlier dependent is good or has `isNotAwaited`. */
const turns = (keeping: Keeping): Turn[] => [
  () => completions(keeping),
  ...wavesOf(keeping.dependents, keeping.world).flatMap(({ order, stages }): Turn[] => [
    looked => purges(keeping, looked, order),
    ...stages.map(
      (stage): Turn =>
        looked =>
          stage.map(dependent => dependentAction(caseOf(dependent, keeping, looked))),
    ),
  ]),
  looked => purges(keeping, looked, Number.POSITIVE_INFINITY),
]

const completions = (keeping: Keeping): DependentAction[] => {
  const away = unavailableKinds(keeping.world)
  return keeping.dependents
    .map(dependent => caseOf(dependent, keeping, new Map()))
    .filter(({ item }) => isCompleting(item) && away(item) === undefined)
    .map(completionOf)
}

/** Purges that must be done before the wave of this order. */
const purges = (keeping: Keeping, looked: Looked, order: number): DependentAction[] =>
  keeping.dependents
    .map(dependent => caseOf(dependent, keeping, looked))
    .filter(c => isDue(c, order))
    .map(scheduledForCompletion)

const caseOf = (dependent: Dependent, { world, now, items }: Keeping, looked: Looked): DependentCase => {
  const item = looked.get(dependent.key)?.item ?? items.get(dependent.key)
  if (item === undefined) throw new Error(`${dependent.key} is not in the inventory`)
  return { world, now, dependent, item, live: world.observed.live.get(dependent.key) }
}

const letsOthersBegin = ({ is, isNotAwaited }: DependentAction): boolean => is === 'good' || isNotAwaited === true

/** Steps of equal priority run concurrently. Missing namespaces come first. */
const stepsOf = (actions: readonly DependentAction[], world: World): Step[] => {
  const { applyPriorities } = world.settings
  const steps = actions.flatMap(({ step, dependent }): Step[] =>
    step ? [{ ...step, ...stepTo(world), order: priorityOf(applyPriorities, dependent.object) }] : [],
  )
  return [...namespaceSteps(steps, world), ...steps]
}

/** Creates missing namespaces before all other steps. A namespace that is not a dependent is never written again. */
const namespaceSteps = (steps: readonly Step[], { observed, on }: World): Step[] => {
  const needed = steps.flatMap(step => (step.do === 'create' ? (step.object.metadata.namespace ?? []) : []))
  const missing = [...new Set(needed)].filter(name => lacksNamespace(observed, name))
  const order = Math.min(0, ...steps.map(step => step.order ?? 0)) - 1
  return missing.map(name => ({ do: 'create', object: namespace(name), on, order }))
}

const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

// Dependents with a purge order, such as a migration Job, are deleted when the wave of that order is ready. Items of deleted dependents
// stay in the inventory as Completed, so a dependent is created again only after a change of its manifest.

const isCompleting = ({ phase }: Item): boolean => phase === 'ScheduledForCompletion' || phase === 'Completing'

/** Whether the dependent and all waves up to its purge order are ready. `nextOrder`: the next wave. */
const isDue = ({ item, dependent: { policies } }: DependentCase, nextOrder: number): boolean =>
  item.phase === 'Ready' &&
  policies.purgeOrder !== undefined &&
  Math.max(policies.purgeOrder, policies.applyOrder) < nextOrder

/** This item is saved before the object is deleted. Otherwise the next pass would find the object missing and create it again. */
const scheduledForCompletion = ({ dependent, item }: DependentCase): DependentAction => ({
  dependent,
  item: { ...item, phase: 'ScheduledForCompletion' },
  is: 'unready',
  message: 'is done and will be deleted',
  savesFirst: true,
})

/** Deletes the scheduled object, even if its delete policy says `orphan`. Keeps an object that now has another owner. */
const completionOf = ({ dependent, item, live, world }: DependentCase): DependentAction => {
  if (!live || !isOwnedByUs(live, world))
    return { dependent, item: completedItem(item), is: 'good', message: 'is completed' }
  const waits = { dependent, item: { ...item, status: 'Terminating' }, is: 'unready' } as const
  if (isDeleting(live)) return { ...waits, message: 'is being purged' }
  return { ...waits, message: 'is being purged', step: { do: 'delete', target: live, propagation: 'Background' } }
}

type Wave = { readonly order: number; readonly stages: readonly (readonly Dependent[])[] }

/** Groups dependents into waves (apply-order), and each wave into stages: a CRD comes before its instances. */
const wavesOf = (dependents: readonly Dependent[], input: EngineInput): Wave[] => {
  const stageOf = stages(dependents, input)
  return [...Map.groupBy(dependents, ({ policies }) => policies.applyOrder)]
    .sort(([a], [b]) => a - b)
    .map(([order, inWave]) => ({
      order,
      stages: [...Map.groupBy(inWave, stageOf)].sort(([a], [b]) => a - b).map(([_, stage]) => stage),
    }))
}

/**
 * Stage 0: all other objects, including CRDs and operators. Stage 1: APIServices. Stage 2: instances of types that other dependents define.
 */
const stages = (dependents: readonly Dependent[], { settings }: EngineInput): ((dependent: Dependent) => number) => {
  const types = [...typesBroughtBy(dependents), ...ofAnyVersion(settings.additionalManagedTypes)]
  return ({ object }) => {
    if (isManaged(types, typeOf(object))) return 2
    return object.apiVersion.startsWith('apiregistration.k8s.io/') ? 1 : 0
  }
}

/** The result contains no steps, because callers set the order of steps. */
const progressOf = (actions: readonly DependentAction[]): Progress => ({
  ...noProgress,
  items: actions.map(({ item }) => item),
  unready: notes(actions, 'unready'),
  failed: notes(actions, 'failed'),
  errors: notes(actions, 'fault').map(({ message }) => plainFault(message)),
  mustSave: actions.some(({ savesFirst }) => savesFirst),
  repairInSeconds: earliest(actions.map(({ repairInSeconds }) => repairInSeconds)),
})

const notes = (actions: readonly DependentAction[], is: DependentAction['is']): Note[] =>
  actions
    .filter(action => action.is === is)
    .map(({ dependent, message }) => ({ ref: refOf(dependent.object), message }))

// Checks whether the inventory fits into the status, because an API server stores no object above 1.5 MiB. Too many manifests are reported
// as a fault, because the inventory could never be saved.
/** Leaves half a MiB for the rest of the object. */
const bytesMost = 2 ** 20

/** An inventory with at most this many items always fits. */
const harmless = 1_000

/** Space per item for fields that are added when the object is applied. */
const bytesLater = 100

const inventoryExcess = (items: readonly Item[]): string | undefined => {
  if (items.length <= harmless) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(storedItems(items))) + items.length * bytesLater
  if (bytes <= bytesMost) return undefined
  return `${items.length} objects, including those that are still being deleted, do not fit into the status: split the component`
}
