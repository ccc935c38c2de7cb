// The ModuleTemplates that mandatory ModuleReleaseMetas use. They are marked, so that a labelled one does not bring its module back
// when its ModuleReleaseMeta is deleted.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import type { ModuleReleaseMeta, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { isPickedUp } from '../../../shared/kyma/labels.ts'
import type { ModuleCatalogue } from '../../../shared/kyma/modules/look-up.ts'
import { mandatoryTemplateName } from '../../../shared/kyma/modules/mandatory-modules.ts'

type UsedTemplate = { readonly template: ModuleTemplate; readonly by: ModuleReleaseMeta }

/** ModuleTemplates without the mark. */
export const unmarkedTemplates = ({ templates, metas }: ModuleCatalogue): readonly UsedTemplate[] =>
  metas.filter(isPickedUp).flatMap(by =>
    templates
      .filter(template => template.metadata.name === mandatoryTemplateName(by) && isPickedUp(template))
      .filter(template => !isDeleting(template) && markOf(template) !== by.metadata.name)
      .map(template => ({ template, by })),
  )

/** Their ModuleReleaseMeta is gone: nothing of them is to be installed any more. */
export const releasedTemplates = ({ templates, metas }: ModuleCatalogue): readonly ModuleTemplate[] => {
  const there = new Set(metas.map(({ metadata }) => metadata.name))
  return templates.filter(template => {
    const by = markOf(template)
    return by !== undefined && !there.has(by)
  })
}

const markOf = ({ metadata }: ModuleTemplate): string | undefined =>
  metadata.annotations?.[kymaNames.annotations.releasedBy]
