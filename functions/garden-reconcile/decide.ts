// What garden-reconcile does next: the first row that applies decides.
import { firstRow } from '../../shared/core/first-row.ts'
import { isDeleting } from '../../shared/core/object.ts'
import type { Plan } from '../../shared/core/plan.ts'
import { reasons } from './reasons.ts'
import { type Flow, flowOf } from './rules/flow.ts'
import { gardenerVersionFault } from './rules/gardener-version.ts'
import { isStartDue, removalOfTokens, startPlan, takenTokens } from './rules/operation-start.ts'
import { steps } from './rules/steps.ts'
import type { World } from './world.ts'

/** `flow`: the steps were judged, and report.ts tells what came of them. */
export type GardenPlan = Plan & { readonly flow?: Flow }

export const decide = (world: World, now: Date): GardenPlan => firstRow(rows, world, now).plan(world, now)

type Row = {
  readonly when: (world: World, now: Date) => boolean
  readonly plan: (world: World, now: Date) => GardenPlan
}

const quiet = { steps: [], status: {}, events: [] }

const rows: readonly Row[] = [
  {
    when: ({ gardens }) => gardens.length > 1,
    plan: () => ({ ...quiet, next: { is: 'stalled', reason: reasons.moreThanOneGarden } }),
  },
  {
    when: world => foreignVersion(world) !== undefined,
    plan: world => ({
      ...quiet,
      next: { is: 'stalled', reason: `${reasons.versionNotSupported}: ${foreignVersion(world)}` },
    }),
  },
  {
    when: ({ garden }) => isDeleting(garden),
    plan: () => ({ ...quiet, next: { is: 'settled' } }),
  },
  {
    when: ({ garden }, now) => takenTokens(garden, now).length > 0,
    plan: ({ garden }, now) => ({
      ...quiet,
      steps: [removalOfTokens(garden, takenTokens(garden, now))],
      next: { is: 'again' },
    }),
  },
  { when: isStartDue, plan: startPlan },
  {
    when: () => true,
    plan: (world, now) => {
      const flow = flowOf(steps, world, now)
      return { ...quiet, steps: flow.writes, flow, next: { is: 'settled' } }
    },
  },
]

const foreignVersion = ({ garden, settings }: World): string | undefined =>
  gardenerVersionFault(garden.status?.gardener?.version, settings.version)
