// The objects that steps write to, and the errors of steps.
import { type KubeObject, refOf, refText } from '../objects/object.ts'
import type { Step, StepError, StepResult } from './plan.ts'

/** The object that a step writes to, or that its hook is called for. */
export const subjectOf = (step: Step): KubeObject => {
  if ('target' in step) return step.target
  return 'into' in step ? step.into : step.object
}

export const subjectText = (step: Step): string => refText(refOf(subjectOf(step)))

/** Leaves out conflicts: the object changed since it was read, and the next pass reads it again. */
export const stepFaults = (results: readonly StepResult[]): StepError[] =>
  results.flatMap(({ error }) => (error && !error.isConflict ? error : []))

/** `Secret istio-system/a: it is forbidden` */
export const faultText = ({ ref, message }: StepError): string => `${refText(ref)}: ${message}`

/**
 * One sentence for each failed step. Conflicts are left out, because the next pass reads the changed object again.
 *
 *   const report: ReconcileFunction['report'] = (_world, { status }, results) => ({
 *     status: { ...status, faults: faultTexts(results) },
 *   })
 */
export const faultTexts = (results: readonly StepResult[]): string[] => stepFaults(results).map(faultText)
