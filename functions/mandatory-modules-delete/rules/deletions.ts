// What is at its end, and the Manifests that must go before it does: never those of others, and none that something else declares, too.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { hasFinalizer, isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Manifest, ModuleReleaseMeta, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { isOfAnother, isPickedUp, moduleNameOf } from '../../../shared/kyma/labels.ts'
import { isMadeOf } from '../../../shared/kyma/manifests.ts'
import type { ModuleCatalogue } from '../../../shared/kyma/modules/look-up.ts'
import { declaredVersions, mandatoryTemplateName } from '../../../shared/kyma/modules/mandatory-modules.ts'
import type { World } from '../world.ts'

export type End = {
  /** What our finalizer holds; absent: its ModuleReleaseMeta is gone already. */
  readonly of?: ModuleTemplate | ModuleReleaseMeta
  readonly manifests: readonly Manifest[]
  /** It waits for more than its Manifests. */
  readonly isHeld: boolean
}

const { finalizers } = kymaNames

export const endsIn = ({ catalogue, manifests: all }: World): readonly End[] => {
  const declared = declaredVersions(catalogue)
  const manifests = all.filter(manifest => !isOfAnother(manifest) && !declared.some(isVersionOf(manifest)))
  const madeOf = (template: ModuleTemplate) => manifests.filter(manifest => isMadeOf(template, manifest))
  const unmarked = unmarkedTemplates(catalogue)
  return [
    ...catalogue.templates.filter(isEnding).map(of => ({ of, manifests: madeOf(of), isHeld: false })),
    ...catalogue.metas.filter(isEnding).map(of => ({
      of,
      manifests: manifests.filter(manifest => isOfModule(manifest, of)),
      isHeld: unmarked.some(({ by }) => by === of),
    })),
    // A call that read the ModuleReleaseMeta before it was deleted may have made a Manifest since.
    ...releasedTemplates(catalogue).map(template => ({ manifests: madeOf(template), isHeld: false })),
  ]
}

type Declared = ReturnType<typeof declaredVersions>[number]

/** Something else still declares what is installed: it would only be made again. */
const isVersionOf =
  (manifest: Manifest) =>
  ({ module, template }: Declared): boolean =>
    module === moduleNameOf(manifest) && isMadeOf(template, manifest)

const isEnding = (object: KubeObject): boolean =>
  isDeleting(object) && hasFinalizer(object, finalizers.mandatoryModule) && !isOfAnother(object)

const isOfModule = (manifest: Manifest, { metadata }: ModuleReleaseMeta): boolean =>
  moduleNameOf(manifest) === metadata.name

// The ModuleTemplates that mandatory ModuleReleaseMetas use. They are marked, so that a labelled one does not bring its module back
// when its ModuleReleaseMeta is deleted.

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
const releasedTemplates = ({ templates, metas }: ModuleCatalogue): readonly ModuleTemplate[] => {
  const there = new Set(metas.map(({ metadata }) => metadata.name))
  return templates.filter(template => {
    const by = markOf(template)
    return by !== undefined && !there.has(by)
  })
}

const markOf = ({ metadata }: ModuleTemplate): string | undefined =>
  metadata.annotations?.[kymaNames.annotations.releasedBy]
