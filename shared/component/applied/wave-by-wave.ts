// Keeps dependents as declared, wave by wave. A stage starts when all earlier stages are ready and all earlier purges are done. Dependents
// of later stages are read and not written.
import type { Step } from '../../core/decisions/plan.ts'
import { isDeleting, type KubeObject } from '../../core/objects/object.ts'
import { type Dependent, typesBroughtBy } from '../declared/dependent.ts'
import { isManaged, ofAnyVersion, typeOf } from '../declared/managed-types.ts'
import { completedItem, type Item, type ItemKey } from '../inventory/item.ts'
import { isOwnedByUs } from '../observed/adoption.ts'
import { lacksNamespace } from '../observed/namespaces.ts'
import { unavailableKinds } from '../observed/unavailable-kinds.ts'
import { type Progress, progressOf } from '../reported/progress.ts'
import { type EngineInput, stepTo, type World } from '../world.ts'
import { type DependentAction, dependentAction, observedOnly } from './dependent-action.ts'
import { priorityOf } from './priorities.ts'
import type { DependentCase } from './write-cause.ts'

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
