// Whether a Kyma may have a module: modules in development and restricted ones are for Kymas that are labelled so.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { matchesLabels, structuredSelector } from '../../../shared/core/objects/label-selector.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { isOn } from '../../../shared/kyma/labels.ts'
import type { FoundModule } from '../../../shared/kyma/modules/look-up.ts'

const { labels } = kymaNames

type Visibility = { readonly kyma: Kyma; readonly module: string; readonly restrictedModules: readonly string[] }

/** Why the Kyma may not have the module, as a noun: `internal module`; undefined: it may. */
export const visibilityFault = ({ template, meta }: Partial<FoundModule>, to: Visibility): string | undefined => {
  const { kyma, module, restrictedModules } = to
  const hidden = (['internal', 'beta'] as const).find(
    label => template && isOn(template, labels[label]) && !isOn(kyma, labels[label]),
  )
  if (hidden) return `${hidden} module`
  const selector = structuredSelector(meta?.spec.kymaSelector)
  const isRestricted = meta !== undefined && restrictedModules.includes(module)
  if (!isRestricted) return selector ? 'restricted module that no setting names' : undefined
  if (!selector) return 'restricted module without a selector of Kymas'
  return matchesLabels(selector, kyma.metadata.labels) ? undefined : 'restricted module'
}
