// Performs the steps of a plan. Steps of the same order run concurrently; a failed step does not stop other steps. Returns the result of
// each step as data.
import type { Step, StepError, StepResult } from '../../core/decisions/plan.ts'
import { subjectOf } from '../../core/decisions/steps.ts'
import { refOf } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import { atOnce } from '../at-once.ts'
import type { Clusters } from '../client-types.ts'
import { ApiError, isConflict, isNotFound, isNotServed, isTrouble, retryAfterSecondsOf } from '../errors.ts'
import { performStep, type Reach } from './perform-step.ts'
import { refusalText, withoutQuotes } from './unquoted-errors.ts'

export type PerformOptions = Omit<Reach, 'client'> & {
  clusters: Clusters
  /** Called before each step. A step that does not start has no result. */
  mayContinue: () => boolean
  requestsInFlight?: number
}

const stepsAtOnce = 16

/** Returns results in the order of the steps. Never rejects. */
export const performSteps = async (steps: readonly Step[], options: PerformOptions): Promise<StepResult[]> => {
  const results = new Map<Step, StepResult>()
  const byOrder = Map.groupBy(steps, step => step.order ?? 0)
  for (const order of [...byOrder.keys()].sort((a, b) => a - b))
    await performAtOnce(byOrder.get(order) ?? [], { options, results })
  return steps.flatMap(step => results.get(step) ?? [])
}

type Progress = { options: PerformOptions; results: Map<Step, StepResult> }

const performAtOnce = async (steps: readonly Step[], { options, results }: Progress): Promise<void> => {
  const tasks = steps.map(step => async () => {
    if (options.mayContinue()) results.set(step, await performed(step, options))
  })
  await atOnce(tasks, options.requestsInFlight ?? stepsAtOnce)
}

const performed = async (step: Step, { clusters, ...options }: PerformOptions): Promise<StepResult> => {
  try {
    const client = await clusters.of(step.on ?? 'local')
    const fieldManager = step.fieldManager ?? options.fieldManager
    return { step, ...(await performStep(step, { client, ...options, fieldManager })) }
  } catch (error) {
    return {
      step,
      changed: false,
      error: stepError(step.isConfidential ? withoutQuotes(error, refOf(subjectOf(step))) : error, step),
    }
  }
}

const stepError = (error: unknown, step: Step): StepError => {
  // If the object was deleted since it was read, the error counts as a conflict, too.
  const wasOvertaken = isConflict(error) || ('target' in step && isNotFound(error))
  const isPassing = wasOvertaken && step.isConflictPassing === true
  const [message, full] = [refusalText(error), errorText(error)]
  return {
    message,
    ...(message !== full && { full }),
    isConflict: wasOvertaken && !isPassing,
    isRetriable: isPassing || isTrouble(error) || isNotServed(error),
    retryAfterSeconds: retryAfterSecondsOf(error),
    ...(error instanceof ApiError && { code: error.code }),
    ref: refOf(subjectOf(step)),
    ...(step.do === 'hook' && { cause: error }),
  }
}
