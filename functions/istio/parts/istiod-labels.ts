// Puts the module's label on objects that istiod made for itself, when everything else is done.
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { moduleLabelSteps } from '../desired/installation/istiod-objects.ts'
import { resourceName } from '../desired/resources/resource-row.ts'
import { descriptions } from '../reasons.ts'
import { resourcesFailed } from '../rules/findings.ts'
import { part } from './part.ts'

/** As the API server answered to our write: a webhook may have taken the label away again. */
const stillLacking = (object: KubeObject): readonly string[] =>
  moduleLabelSteps([object]).map(() => `${resourceName(refOf(object))}: ${descriptions.changedAtOnce}`)

export const istiodLabels = part({
  name: 'istiodLabels',
  steps: ({ found }) => moduleLabelSteps(found),
  reports: (_, { results }) => {
    const causes = results.flatMap(({ error, object }) => error?.message ?? (object ? stillLacking(object) : []))
    return causes.length > 0 ? { findings: [resourcesFailed(causes)] } : {}
  },
})
