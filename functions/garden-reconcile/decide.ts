// What garden-reconcile does next: the first row that applies.
import { firstRow } from '../../shared/core/decisions/first-row.ts'
import { type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { hasFinalizer, isDeleting } from '../../shared/core/objects/object.ts'
import { reasons, texts } from './reasons.ts'
import { takingDown } from './rules/deletion.ts'
import { type Flow, flowOf } from './rules/flow.ts'
import { gardenerVersion, gardenerVersionFault } from './rules/gardener-version.ts'
import { lastOperationOf, operationStatus } from './rules/last-operation.ts'
import { isStartDue, operatorFinalizer, removalOfTokens, startPlan, takenTokens } from './rules/operation-start.ts'
import { secretEvents } from './rules/secrets/unknown-secrets.ts'
import { steps } from './rules/steps.ts'
import { takeoverPlan } from './rules/takeover.ts'
import type { World } from './world.ts'

/** `flow`: the steps were judged; report.ts makes the status of them after the writes. */
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
    when: ({ garden }) => isDeleting(garden) && !hasFinalizer(garden, operatorFinalizer),
    plan: () => ({ ...quiet, next: settled }),
  },
  {
    when: ({ garden }) => isDeleting(garden) && lastOperationOf(garden)?.type !== 'Delete',
    plan: ({ garden }, now) => ({ ...quiet, status: deletionStart(garden, now), next: { is: 'again' } }),
  },
  {
    when: ({ garden }) => isDeleting(garden),
    plan: deletionPlan,
  },
  {
    when: world => takeoverPlan(world) !== undefined,
    plan: world => ({ ...quiet, next: settled, ...takeoverPlan(world) }),
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
      return { ...quiet, steps: flow.writes, events: secretEvents(world), flow, next: settled }
    },
  },
]

/** Takes the Garden down. When nothing of ours is left, it removes the finalizer, without status or Events: the Garden may be gone then. */
function deletionPlan(world: World): GardenPlan {
  const { garden } = world
  const { isDone, events, ...removal } = takingDown(world)
  if (isDone) {
    const steps: Step[] = [{ do: 'removeFinalizer', target: garden, finalizer: operatorFinalizer }]
    return { ...quiet, steps, next: settled }
  }
  const flow: Flow = { ...removal, ready: 0, faults: [], stalls: [] }
  return { steps: flow.writes, status: {}, events, flow, next: settled }
}

const deletionStart = (garden: World['garden'], now: Date) =>
  operationStatus(garden, { type: 'Delete', state: 'Processing', progress: 0, description: texts.deleting }, now)

const foreignVersion = ({ garden, settings }: World): string | undefined =>
  gardenerVersionFault(garden.status?.gardener?.version, gardenerVersion(settings))
