// Decides when the Kyma loses its finalizer, and which finalizers purge removes from the remaining objects of modules in the runtime.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { firstRow } from '../../shared/core/decisions/checks.ts'
import { type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import { isOfAnother, isOn } from '../../shared/kyma/kinds.ts'
import { runtimeName } from '../../shared/kyma/kyma-runtime.ts'
import { graceOver, notPurged } from './reasons.ts'
import { graceLeft, hasPurgeFinalizer, isFinished } from './rules/purged.ts'
import type { Runtime, World } from './world.ts'

const { labels, finalizers } = kymaNames

type Row = { readonly when: (world: World) => boolean; readonly plan: (world: World, now: Date) => Partial<Plan> }

const rows: readonly Row[] = [
  { when: ({ kyma }) => isOfAnother(kyma), plan: () => ({}) },
  {
    when: ({ settings }) => settings.scope === 'none',
    plan: world => ({ steps: hasPurgeFinalizer(world.kyma) ? [release(world)] : [] }),
  },
  {
    when: ({ kyma }) => !isDeleting(kyma) && (hasPurgeFinalizer(kyma) || isOn(kyma, labels.skipReconciliation)),
    plan: () => ({}),
  },
  { when: ({ kyma }) => !isDeleting(kyma), plan: world => ({ steps: [change(world, 'addFinalizer')] }) },
  { when: ({ kyma }) => !hasPurgeFinalizer(kyma), plan: () => ({}) },
  { when: ({ kyma }) => isFinished(kyma), plan: world => ({ steps: [release(world)] }) },
  { when: () => true, plan: (world, now) => byRuntime(world, world.runtime, now) },
]

export const decide = (world: World, now: Date): Plan => ({
  steps: [],
  status: {},
  events: [],
  next: settled,
  ...firstRow(rows, world).plan(world, now),
})

const byRuntime = (world: World, runtime: Runtime, now: Date): Partial<Plan> => {
  switch (runtime.is) {
    case 'unasked':
      return { next: { is: 'waiting', seconds: secondsToGo(world, now), for: graceOver } }
    case 'spared':
      return { steps: [release(world)], events: [notPurged(runtime.because)] }
    case 'unreadable':
      return {}
    case 'read':
      return { steps: inTurns(runtime.left).map(target => freed(target, world)) }
  }
}

/** One second is added, so that the grace period is certainly over. */
const secondsToGo = ({ kyma, settings }: World, now: Date): number => Math.max(graceLeft(kyma, settings, now) + 1, 0)

export const release = (world: World): Step => change(world, 'removeFinalizer')

const change = ({ kyma }: World, move: 'addFinalizer' | 'removeFinalizer'): Step => ({
  do: move,
  target: kyma,
  finalizer: finalizers.purge,
})

const freed = (target: KubeObject, { kyma }: World): Step => ({
  do: 'patch',
  target,
  merge: { metadata: { finalizers: null } },
  on: runtimeName(kyma.metadata.name),
})

/** The first item of each list, then the second item of each list, and so on. If all writes of a kind hang, other kinds are not delayed. */
const inTurns = <Item>(lists: readonly (readonly Item[])[]): Item[] => {
  const turns = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: turns }, (_, turn) => lists.flatMap(list => list.slice(turn, turn + 1))).flat()
}
