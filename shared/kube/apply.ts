// Performs the steps of a plan: independent ones at once, each bound to what the function saw, and one failing does not
// stop the others. It judges nothing: what became of each step goes back as data.
import { type ObjectRef, refOf } from '../core/object.ts'
import type { Step, StepError, StepResult } from '../core/plan.ts'
import type { Clusters } from './client-types.ts'
import { isConflict, isNotFound, isNotServed, isTrouble, retryAfterSecondsOf } from './errors.ts'
import { type IssueCertificates, performStep } from './steps.ts'

export type PerformOptions = {
  clusters: Clusters
  /** The function's name. */
  fieldManager: string
  /** Asked before each step: after the first `no` none is begun, and those not begun have no result. */
  mayContinue: () => boolean
  issue: IssueCertificates
}

const stepsAtOnce = 16

/** The results in the order of the steps. Never rejects. */
export const performSteps = async (steps: readonly Step[], options: PerformOptions): Promise<StepResult[]> => {
  const results: (StepResult | undefined)[] = steps.map(() => undefined)
  const waiting = steps.entries()
  const work = async (): Promise<void> => {
    while (options.mayContinue()) {
      const { value, done } = waiting.next()
      if (done) return
      const [index, step] = value
      results[index] = await performed(step, options)
    }
  }
  await Promise.all(Array.from({ length: Math.min(stepsAtOnce, steps.length) }, work))
  return results.filter(result => result !== undefined)
}

const performed = async (step: Step, { clusters, fieldManager, issue }: PerformOptions): Promise<StepResult> => {
  try {
    const client = await clusters.of(step.on ?? 'local')
    return { step, ...(await performStep(step, { client, fieldManager, issue })) }
  } catch (error) {
    return { step, changed: false, error: stepError(error, step) }
  }
}

const stepError = (error: unknown, step: Step): StepError => ({
  message: error instanceof Error ? error.message : String(error),
  // A target that vanished since it was read is one that changed.
  isConflict: isConflict(error) || ('target' in step && isNotFound(error)),
  isRetriable: isTrouble(error) || isNotServed(error),
  retryAfterSeconds: retryAfterSecondsOf(error),
  ref: refOfStep(step),
})

const refOfStep = (step: Step): ObjectRef => {
  if (step.do === 'apply') return refOf(step.object)
  return refOf(step.do === 'issueCertificates' ? step.into : step.target)
}
