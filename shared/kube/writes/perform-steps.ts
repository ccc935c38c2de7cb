// Performs the steps of a plan: those of one order at once, each bound to what the function saw, and one failing does
// not stop the others. It judges nothing: what became of each step goes back as data.
import { errorText } from '../../core/error-text.ts'
import { type ObjectRef, refOf } from '../../core/object.ts'
import type { Step, StepError, StepResult } from '../../core/plan.ts'
import { atOnce } from '../at-once.ts'
import type { Clusters } from '../client-types.ts'
import { isConflict, isNotFound, isNotServed, isTrouble, retryAfterSecondsOf } from '../errors.ts'
import { type IssueCertificates, performStep, type RunHook } from './perform-step.ts'
import { unquoted } from './unquoted-errors.ts'

export type PerformOptions = {
  clusters: Clusters
  /** The function's name. */
  fieldManager: string
  /** Asked before each step; one that is not begun has no result. */
  mayContinue: () => boolean
  issue: IssueCertificates
  runHook?: RunHook
  /** At once; 16 when not given. */
  requestsInFlight?: number
}

const stepsAtOnce = 16

/** The results in the order of the steps. Never rejects. */
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
    return { step, ...(await performStep(step, { client, ...options })) }
  } catch (error) {
    return {
      step,
      changed: false,
      error: stepError(step.isConfidential ? unquoted(error, refOfStep(step)) : error, step),
    }
  }
}

const stepError = (error: unknown, step: Step): StepError => ({
  message: errorText(error),
  // A target that vanished since it was read is one that changed.
  isConflict: isConflict(error) || ('target' in step && isNotFound(error)),
  isRetriable: isTrouble(error) || isNotServed(error),
  retryAfterSeconds: retryAfterSecondsOf(error),
  ref: refOfStep(step),
  ...(step.do === 'hook' && { cause: error }),
})

const refOfStep = (step: Step): ObjectRef => {
  if ('target' in step) return refOf(step.target)
  return refOf(step.do === 'issueCertificates' ? step.into : step.object)
}
