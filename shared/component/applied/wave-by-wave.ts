// Keeps dependents as they are declared, wave by wave. A stage has its turn when all stages before it are ready and what was
// to be purged by then is gone. Dependents whose turn has not come are observed and not written.
import type { Step } from '../../core/decisions/plan.ts'
import type { Dependent } from '../declared/dependent.ts'
import type { Item, ItemKey } from '../inventory/item.ts'
import { unavailableKinds } from '../observed/unavailable-kinds.ts'
import { type Progress, progressOf } from '../reported/progress.ts'
import { stepTo, type World } from '../world.ts'
import { type DependentAction, dependentAction, observedOnly } from './dependent-action.ts'
import { namespaceSteps } from './missing-namespaces.ts'
import { priorityOf } from './priorities.ts'
import { completionOf, isCompleting, isDue, scheduledForCompletion } from './purging.ts'
import { wavesOf } from './waves.ts'
import type { DependentCase } from './write-cause.ts'

/** `items`: one for each dependent. */
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
    if (!actions.every(isGood)) break
  }
  const others = keeping.dependents.filter(({ key }) => !looked.has(key))
  // Those whose turn it is come first in messages: the others wait for them.
  const actions = [...looked.values(), ...others.map(dependent => observedOnly(caseOf(dependent, keeping, looked)))]
  return { ...progressOf(actions), steps: stepsOf(actions, keeping.world) }
}

type Looked = ReadonlyMap<ItemKey, DependentAction>
type Turn = (looked: Looked) => DependentAction[]

/** The turns in order. The next one is taken when every dependent of those before is good. */
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

/** Dependents that must be purged before the wave of this order begins. */
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

const isGood = ({ is }: DependentAction): boolean => is === 'good'

/** Steps of equal priority are performed at once; missing namespaces come first. */
const stepsOf = (actions: readonly DependentAction[], world: World): Step[] => {
  const { applyPriorities } = world.settings
  const steps = actions.flatMap(({ step, dependent }): Step[] =>
    step ? [{ ...step, ...stepTo(world), order: priorityOf(applyPriorities, dependent.object) }] : [],
  )
  return [...namespaceSteps(steps, world), ...steps]
}
