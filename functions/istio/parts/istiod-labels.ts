// Puts the module's label on objects that istiod made for itself, when everything else is done.
import { moduleLabelSteps } from '../desired/installation/istiod-objects.ts'
import { resourcesFailed } from '../rules/findings.ts'
import { part } from './part.ts'

export const istiodLabels = part({
  name: 'istiodLabels',
  steps: ({ found }) => moduleLabelSteps(found),
  reports: (_, { results }) => {
    const causes = results.flatMap(({ error }) => (error ? [error.message] : []))
    return causes.length > 0 ? { findings: [resourcesFailed(causes)] } : {}
  },
})
