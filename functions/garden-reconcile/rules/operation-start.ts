// When an operation starts, and what its start does: one patch of the status with all that it changes, rotations included. The tokens of
// the annotation are removed after it, so a call that is killed between leaves a Garden that has just started, and no token counts twice.
import { operationAnnotation, operationsOf } from '../../../shared/api/garden/operations.ts'
import type { Garden } from '../../../shared/core/garden.ts'
import { hasFinalizer } from '../../../shared/core/object.ts'
import type { EventNote, Plan, Step } from '../../../shared/core/plan.ts'
import { partText, reasons, texts } from '../reasons.ts'
import type { World } from '../world.ts'
import { fieldManager } from './flow.ts'
import { hasJustStarted, lastOperationOf, operationStatus, quietSeconds } from './last-operation.ts'
import { isCompletionDue, rotationStart } from './rotation/phases.ts'

export const operatorFinalizer = 'gardener.cloud/operator'

/** A new Garden or generation, a token, a rotation that goes on by itself, or an operation that succeeded long ago. */
export const isStartDue = ({ garden, settings }: World, now: Date): boolean => {
  const operation = lastOperationOf(garden)
  return (
    operation?.type !== 'Reconcile' ||
    !hasFinalizer(garden, operatorFinalizer) ||
    garden.status?.observedGeneration !== garden.metadata.generation ||
    operationsOf(garden).length > 0 ||
    (operation.state === 'Succeeded' &&
      (isCompletionDue(garden) || quietSeconds(operation, now) >= settings.syncSeconds))
  )
}

/** The finalizer comes first: nothing is made that a deletion would leave behind. */
export const startPlan = ({ garden, settings }: World, now: Date): Plan => {
  const { change, refused } = rotationStart(garden, operationsOf(garden), now)
  const steps: Step[] = hasFinalizer(garden, operatorFinalizer)
    ? []
    : [{ do: 'addFinalizer', target: garden, finalizer: operatorFinalizer }]
  const told = { type: 'Reconcile', state: 'Processing', progress: 0, description: texts.initialized } as const
  return {
    steps,
    status: {
      ...operationStatus(garden, { ...told, isStart: true }, now),
      gardener: { id: fieldManager, name: fieldManager, version: settings.version },
      observedGeneration: garden.metadata.generation,
      ...(Object.keys(change).length > 0 && { credentials: { rotation: change } }),
    },
    events: refused.slice(0, mostEvents).map(operationIgnored),
    next: { is: 'again' },
  }
}

/** Whoever gets past admission may ask for thousands. */
const mostEvents = 10

const operationIgnored = (token: string): EventNote => ({
  type: 'Warning',
  reason: reasons.operationIgnored,
  message: `operation ${partText(token)} is unknown or not possible now`,
})

/** Tokens that the start took and that nobody has removed yet. Rotations that are possible now were added since. */
export const takenTokens = (garden: Garden, now: Date): readonly string[] => {
  if (!hasJustStarted(garden)) return []
  const tokens = operationsOf(garden)
  const { refused } = rotationStart(garden, tokens, now)
  const dropped = new Set(refused)
  return tokens.filter(token => dropped.has(token) || !hasPhases(token))
}

/** These may be asked for at any time: the operation that has just started does what they ask for. */
const hasPhases = (token: string): boolean => !['reconcile', 'rotate-observability-credentials'].includes(token)

/** Bound to the Garden as it was read: a token that is added meanwhile makes it a conflict. */
export const removalOfTokens = (garden: Garden, taken: readonly string[]): Step => {
  const gone = new Set(taken)
  const rest = operationsOf(garden).filter(token => !gone.has(token))
  const value = rest.length > 0 ? rest.join(';') : null
  return { do: 'patch', target: garden, merge: { metadata: { annotations: { [operationAnnotation]: value } } } }
}
