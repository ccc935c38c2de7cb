// Whether a Kyma may have a module: modules in development and restricted ones are for Kymas that are labelled so.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import {
  matchesLabels,
  structuredSelector,
  structuredSelectorFault,
} from '../../../shared/core/objects/label-selector.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { isOn } from '../../../shared/kyma/labels.ts'
import type { FoundModule } from '../../../shared/kyma/modules/look-up.ts'

const { labels } = kymaNames

const notAllowed = 'module template not allowed'

type Visibility = { readonly kyma: Kyma; readonly module: string; readonly restrictedModules: readonly string[] }

/** Why the Kyma may not have the module, in the words of the Go operator; undefined: it may. */
export const visibilityFault = ({ template, meta }: Partial<FoundModule>, to: Visibility): string | undefined => {
  const { kyma, module, restrictedModules } = to
  const hidden = (['internal', 'beta'] as const).find(
    label => template && isOn(template, labels[label]) && !isOn(kyma, labels[label]),
  )
  if (hidden) return `${notAllowed}: ${hidden} module`
  const selector = structuredSelector(meta?.spec.kymaSelector)
  const isRestricted = meta !== undefined && restrictedModules.includes(module)
  if (!isRestricted) return selector && `${notAllowed}: module has kymaSelector but is not in restricted modules list`
  if (!selector) return notAllowed
  const fault = structuredSelectorFault(meta.spec.kymaSelector)
  if (fault !== undefined) return `${notAllowed}: failed to parse kymaSelector on ModuleReleaseMeta: ${fault}`
  // An empty selector selects all Kymas elsewhere in Kubernetes, and none here.
  const isSelected = selector.length > 0 && matchesLabels(selector, kyma.metadata.labels)
  return isSelected ? undefined : `${notAllowed}: restricted module not allowed for this Kyma`
}
