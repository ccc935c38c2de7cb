// Puts the module's label on objects that istiod made for itself, when everything else is done.
import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { refOf } from '../../../shared/core/objects/object.ts'
import { moduleLabelSteps } from '../desired/installation/istiod-objects.ts'
import { resourceName } from '../desired/resources/resource-row.ts'
import { descriptions } from '../reasons.ts'
import { resourcesFailed } from '../rules/findings.ts'
import { part } from './part.ts'

/** The label was refused, or a webhook has taken it away again, as the answer to our write shows. */
const unlabelled = ({ step, error, object }: StepResult): readonly string[] => {
  const isLacking = object !== undefined && moduleLabelSteps([object]).length > 0
  const cause = error?.message ?? (isLacking ? descriptions.changedAtOnce : undefined)
  return cause === undefined ? [] : [`${resourceName(refOf(subjectOf(step)))}: ${cause}`]
}

export const istiodLabels = part({
  name: 'istiodLabels',
  steps: ({ found }) => moduleLabelSteps(found),
  reports: (_, { results }) => {
    const causes = results.flatMap(unlabelled)
    return causes.length > 0 ? { findings: [resourcesFailed(causes)] } : {}
  },
})
