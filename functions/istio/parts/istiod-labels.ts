// Labels what istiod made for itself as part of the module, when all else is done.
import { moduleLabelSteps } from '../desired/installation/istiod-objects.ts'
import { descriptions } from '../reasons.ts'
import { part } from './part.ts'

export const istiodLabels = part({
  name: 'istiodLabels',
  steps: ({ found }) => moduleLabelSteps(found),
  tells: (_, { results }) => {
    const causes = results.flatMap(({ error }) => (error ? [error.message] : []))
    if (causes.length === 0) return {}
    const description = descriptions.resourcesFailed(causes)
    return { findings: [{ state: 'Error', description, reason: 'CustomResourcesReconcileFailed', answer: 'backoff' }] }
  },
})
