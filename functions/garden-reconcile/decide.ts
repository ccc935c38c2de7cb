// Decides what garden-reconcile does next: the first row that applies.
import { checks } from '../../shared/core/decisions/checks.ts'
import { type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { hasFinalizer, isDeleting } from '../../shared/core/objects/object.ts'
import { gardenerVersion, gardenerVersionFault } from './desired/parts/images.ts'
import { reasons, texts } from './reasons.ts'
import { takingDown } from './rules/deletion.ts'
import { type Flow, flowOf } from './rules/flow.ts'
import { lastOperationOf, operationStatus } from './rules/last-operation.ts'
import { isStartDue, operatorFinalizer, removalOfTokens, startPlan, takenTokens } from './rules/operation-start.ts'
import { secretEvents } from './rules/secrets/unknown-secrets.ts'
import { steps } from './rules/steps.ts'
import { takeoverPlan } from './rules/takeover.ts'
import type { World } from './world.ts'

/** `flow`: the judged steps. After the writes, report.ts derives the status from it. */
export type GardenPlan = Plan & { readonly flow?: Flow }

export const decide = (world: World, now: Date): GardenPlan => rowPlan(world, now) ?? flowPlan(world, now)

const quiet = { steps: [], status: {}, events: [] }

const rowPlan = checks<[World, Date], GardenPlan>(
  ({ gardens }) =>
    gardens.length > 1 ? { ...quiet, next: { is: 'stalled', reason: reasons.moreThanOneGarden } } : undefined,
  world => {
    const fault = foreignVersion(world)
    if (fault === undefined) return undefined
    return { ...quiet, next: { is: 'stalled', reason: `${reasons.versionNotSupported}: ${fault}` } }
  },
  ({ garden }) =>
    isDeleting(garden) && !hasFinalizer(garden, operatorFinalizer) ? { ...quiet, next: settled } : undefined,
  (world, now) =>
    isDeleting(world.garden) && lastOperationOf(world.garden)?.type !== 'Delete'
      ? { ...quiet, status: deletionStart(world, now), next: { is: 'again' } }
      : undefined,
  world => (isDeleting(world.garden) ? deletionPlan(world) : undefined),
  world => {
    const plan = takeoverPlan(world)
    return plan && { ...quiet, ...plan }
  },
  ({ garden }, now) => {
    const tokens = takenTokens(garden, now)
    const next = { is: 'again' } as const
    return tokens.length > 0 ? { ...quiet, steps: [removalOfTokens(garden, tokens)], next } : undefined
  },
  (world, now) => (isStartDue(world, now) ? startPlan(world, now) : undefined),
)

const flowPlan = (world: World, now: Date): GardenPlan => {
  const flow = flowOf(steps, world, now)
  return { ...quiet, steps: flow.writes, events: secretEvents(world), flow, next: settled }
}

/** When no object of ours is left, only removes the finalizer: the Garden may then be gone, so no status or Event is written. */
function deletionPlan(world: World): GardenPlan {
  const { garden } = world
  const { isDone, events, ...removal } = takingDown(world)
  if (isDone) {
    const steps: Step[] = [{ do: 'removeFinalizer', target: garden, finalizer: operatorFinalizer }]
    return { ...quiet, steps, next: settled }
  }
  const flow: Flow = { ...removal, ready: 0, faults: [] }
  return { steps: flow.writes, status: {}, events, flow, next: settled }
}

const deletionStart = (world: World, now: Date) =>
  operationStatus(world, { type: 'Delete', state: 'Processing', progress: 0, description: texts.deleting }, now)

const foreignVersion = ({ garden, settings }: World): string | undefined =>
  gardenerVersionFault(garden.status?.gardener?.version, gardenerVersion(settings))
