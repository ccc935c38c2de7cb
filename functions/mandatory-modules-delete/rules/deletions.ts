// Which declaring objects are being deleted, and which Manifests must be deleted before them. Manifests of other managers stay. A Manifest also
// stays if another object still declares its module.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { hasFinalizer, isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import {
  isOfAnother,
  isPickedUp,
  type Manifest,
  type ModuleReleaseMeta,
  type ModuleTemplate,
  moduleNameOf,
} from '../../../shared/kyma/kinds.ts'
import { isMadeOf } from '../../../shared/kyma/manifests.ts'
import type { ModuleCatalogue } from '../../../shared/kyma/modules/look-up.ts'
import { declaredVersions, mandatoryTemplateName } from '../../../shared/kyma/modules/mandatory-modules.ts'
import type { World } from '../world.ts'

export type End = {
  /** The object that our finalizer protects. Absent: the ModuleReleaseMeta is already gone. */
  readonly declaration?: ModuleTemplate | ModuleReleaseMeta
  readonly manifests: readonly Manifest[]
  /** The object keeps its finalizer even without Manifests, because one of its ModuleTemplates is not marked yet. */
  readonly isHeld: boolean
}

const { finalizers } = kymaNames

export const endsIn = ({ catalogue, manifests: all }: World): readonly End[] => {
  const declared = declaredVersions(catalogue)
  const manifests = all.filter(manifest => !isOfAnother(manifest) && !declared.some(isVersionOf(manifest)))
  const madeOf = (template: ModuleTemplate) => manifests.filter(manifest => isMadeOf(template, manifest))
  const unmarked = unmarkedTemplates(catalogue)
  return [
    ...catalogue.templates
      .filter(isEnding)
      .map(declaration => ({ declaration, manifests: madeOf(declaration), isHeld: false })),
    ...catalogue.metas.filter(isEnding).map(declaration => ({
      declaration,
      manifests: manifests.filter(manifest => isOfModule(manifest, declaration)),
      isHeld: unmarked.some(({ by }) => by === declaration),
    })),
    // A concurrent call may have read the ModuleReleaseMeta before its deletion and created a Manifest afterwards.
    ...releasedTemplates(catalogue).map(template => ({ manifests: madeOf(template), isHeld: false })),
  ]
}

type Declared = ReturnType<typeof declaredVersions>[number]

/** Whether the declared version is the installed version. A deleted Manifest of this version would be created again. */
const isVersionOf =
  (manifest: Manifest) =>
  ({ module, template }: Declared): boolean =>
    module === moduleNameOf(manifest) && isMadeOf(template, manifest)

const isEnding = (object: KubeObject): boolean =>
  isDeleting(object) && hasFinalizer(object, finalizers.mandatoryModule) && !isOfAnother(object)

const isOfModule = (manifest: Manifest, { metadata }: ModuleReleaseMeta): boolean =>
  moduleNameOf(manifest) === metadata.name

// ModuleTemplates that mandatory ModuleReleaseMetas use get a mark. A marked template does not install its module by its label after the
// ModuleReleaseMeta is deleted.

type UsedTemplate = { readonly template: ModuleTemplate; readonly by: ModuleReleaseMeta }

/** ModuleTemplates that lack the mark. */
export const unmarkedTemplates = ({ templates, metas }: ModuleCatalogue): readonly UsedTemplate[] =>
  metas.filter(isPickedUp).flatMap(by =>
    templates
      .filter(template => template.metadata.name === mandatoryTemplateName(by) && isPickedUp(template))
      .filter(template => !isDeleting(template) && markOf(template) !== by.metadata.name)
      .map(template => ({ template, by })),
  )

/** Marked ModuleTemplates whose ModuleReleaseMeta is gone, so that they no longer install a module. */
const releasedTemplates = ({ templates, metas }: ModuleCatalogue): readonly ModuleTemplate[] => {
  const there = new Set(metas.map(({ metadata }) => metadata.name))
  return templates.filter(template => {
    const by = markOf(template)
    return by !== undefined && !there.has(by)
  })
}

const markOf = ({ metadata }: ModuleTemplate): string | undefined =>
  metadata.annotations?.[kymaNames.annotations.releasedBy]
