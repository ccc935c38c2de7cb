// When an operation starts, and what its start changes: one patch of the status, rotations included. The annotation's tokens are removed
// after that patch. If a call is killed in between, the status says that the operation has just started, so no token takes effect twice.
import { operationAnnotation, operationsOf } from '../../../shared/api/garden/operations.ts'
import type { EventNote, Plan, Step } from '../../../shared/core/decisions/plan.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import { hasFinalizer } from '../../../shared/core/objects/object.ts'
import { partText, reasons, texts } from '../reasons.ts'
import type { World } from '../world.ts'
import { fieldManager } from './flow.ts'
import { hasJustStarted, lastOperationOf, operationStatus, quietSeconds } from './last-operation.ts'
import { isCompletionDue, rotationStart } from './rotation/phases.ts'

export const operatorFinalizer = 'gardener.cloud/operator'

/**
 * An operation starts for a new Garden or generation, for a token, for a rotation that completes by itself, and when the last one succeeded
 * long ago.
 */
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

/** It adds the finalizer before anything is made, so that no deletion leaves something behind. */
export const startPlan = ({ garden, settings }: World, now: Date): Plan => {
  const { change, refused } = rotationStart(garden, operationsOf(garden), now)
  const steps: Step[] = hasFinalizer(garden, operatorFinalizer)
    ? []
    : [{ do: 'addFinalizer', target: garden, finalizer: operatorFinalizer }]
  const operation = { type: 'Reconcile', state: 'Processing', progress: 0, description: texts.initialized } as const
  return {
    steps,
    status: {
      ...operationStatus(garden, { ...operation, isStart: true }, now),
      gardener: { id: fieldManager, name: fieldManager, version: settings.version },
      observedGeneration: garden.metadata.generation,
      ...(Object.keys(change).length > 0 && { credentials: { rotation: change } }),
    },
    events: refused.slice(0, mostEvents).map(operationIgnored),
    next: { is: 'again' },
  }
}

/** Without admission an annotation may hold thousands of tokens. */
const mostEvents = 10

const operationIgnored = (token: string): EventNote => ({
  type: 'Warning',
  reason: reasons.operationIgnored,
  message: `operation ${partText(token)} is unknown or not possible now`,
})

/** Tokens that took effect at the start and are still in the annotation. A token of a rotation that is permitted now was added later. */
export const takenTokens = (garden: Garden, now: Date): readonly string[] => {
  if (!hasJustStarted(garden)) return []
  const tokens = operationsOf(garden)
  const { refused } = rotationStart(garden, tokens, now)
  const dropped = new Set(refused)
  return tokens.filter(token => dropped.has(token) || !hasPhases(token))
}

/** The two other tokens are permitted at any time: the operation that has just started does what they ask for. */
const hasPhases = (token: string): boolean => !['reconcile', 'rotate-observability-credentials'].includes(token)

/** Bound to the Garden's resourceVersion: if a token is added meanwhile, the patch ends in a conflict. */
export const removalOfTokens = (garden: Garden, taken: readonly string[]): Step => {
  const gone = new Set(taken)
  const rest = operationsOf(garden).filter(token => !gone.has(token))
  const value = rest.length > 0 ? rest.join(';') : null
  return { do: 'patch', target: garden, merge: { metadata: { annotations: { [operationAnnotation]: value } } } }
}
