// First deletes the Manifests of a deleted mandatory module, then removes the finalizer of the object that declared the module. Manifests of other
// managers stay. A Manifest also stays if another object still declares its module.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import {
  type EventNote,
  type Plan,
  type Report,
  type Step,
  type StepResult,
  settled,
} from '../../shared/core/decisions/plan.ts'
import { hasFinalizer, isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import {
  isLabelledMandatory,
  isOfAnother,
  isPickedUp,
  type Manifest,
  type ModuleReleaseMeta,
  type ModuleTemplate,
  moduleNameOf,
} from '../../shared/kyma/kinds.ts'
import { isMadeOf } from '../../shared/kyma/manifests.ts'
import { type ModuleCatalogue, moduleOfTemplate } from '../../shared/kyma/modules/look-up.ts'
import {
  declaredVersions,
  mandatoryModules,
  mandatoryTemplateName,
} from '../../shared/kyma/modules/mandatory-modules.ts'
import {
  declaredInVain,
  failureNotes,
  labelMissing,
  manifestsToGo,
  nameDiffers,
  notPickedUpElsewhere,
} from './reasons.ts'
import type { World } from './world.ts'

const { finalizers, annotations } = kymaNames
const finalizer = finalizers.mandatoryModule

/** A watch reports when Manifests are gone. This period covers lost events. */
const lookAgainSeconds = 60

export const decide = (world: World): Plan => {
  const ends = endsIn(world)
  const left = [...new Set(ends.flatMap(({ manifests }) => manifests))]
  return {
    steps: [
      ...unguarded(world).map((target): Step => ({ do: 'addFinalizer', target, finalizer })),
      ...unmarkedTemplates(world.catalogue).map(({ template, by }) => marked(template, by.metadata.name)),
      ...left.filter(manifest => !isDeleting(manifest)).map((target): Step => ({ do: 'delete', target })),
      ...ends.flatMap(letGo),
    ],
    status: {},
    events: notes(world),
    next: left.length === 0 ? settled : { is: 'waiting', seconds: lookAgainSeconds, for: manifestsToGo(left.length) },
  }
}

/** Objects that declare a mandatory module but lack our finalizer, which keeps them until the module's Manifests are gone. */
const unguarded = ({ catalogue: { templates, metas } }: World): readonly KubeObject[] =>
  [...templates.filter(isLabelledMandatory), ...metas.filter(({ spec }) => spec.mandatory)].filter(
    object => isPickedUp(object) && !isDeleting(object) && !hasFinalizer(object, finalizer),
  )

const marked = (target: KubeObject, by: string): Step => ({
  do: 'patch',
  target,
  merge: { metadata: { annotations: { [annotations.releasedBy]: by } } },
})

const letGo = ({ declaration, manifests, isHeld }: End): Step[] =>
  declaration && manifests.length === 0 && !isHeld ? [{ do: 'removeFinalizer', target: declaration, finalizer }] : []

/** Events about ModuleTemplates and ModuleReleaseMetas that do not have the expected effect. */
const notes = ({ catalogue, elsewhere }: World): EventNote[] => {
  const templates = catalogue.templates.filter(template => !isDeleting(template))
  const metas = catalogue.metas.filter(meta => !isDeleting(meta))
  return [
    // If the runtime is the control plane's own cluster, the copies in the catalogue have another value of the label.
    ...elsewhere.filter(isPickedUp).map(notPickedUpElsewhere),
    ...templates.filter(template => isMeantMandatory(template, catalogue)).map(labelMissing),
    ...metas.filter(meta => isPickedUp(meta) && meta.spec.moduleName !== meta.metadata.name).map(nameDiffers),
    ...mandatoryModules(catalogue).faults.map(declaredInVain),
  ]
}

/** Whether spec.mandatory is set but has no effect: the template has no label, and the module has no ModuleReleaseMeta. */
const isMeantMandatory = (template: ModuleTemplate, { metas }: ModuleCatalogue): boolean =>
  isPickedUp(template) &&
  template.spec.mandatory === true &&
  !isLabelledMandatory(template) &&
  !metas.some(
    meta =>
      isPickedUp(meta) &&
      (meta.metadata.name === moduleOfTemplate(template) || mandatoryTemplateName(meta) === template.metadata.name),
  )

type End = {
  /** The object that our finalizer protects. Absent: the ModuleReleaseMeta is already gone. */
  readonly declaration?: ModuleTemplate | ModuleReleaseMeta
  readonly manifests: readonly Manifest[]
  /** The object keeps its finalizer even without Manifests, because one of its ModuleTemplates is not marked yet. */
  readonly isHeld: boolean
}

const endsIn = ({ catalogue, manifests: all }: World): readonly End[] => {
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
  isDeleting(object) && hasFinalizer(object, finalizer) && !isOfAnother(object)

const isOfModule = (manifest: Manifest, { metadata }: ModuleReleaseMeta): boolean =>
  moduleNameOf(manifest) === metadata.name

// ModuleTemplates that mandatory ModuleReleaseMetas use get a mark. A marked template does not install its module by its label after the
// ModuleReleaseMeta is deleted.

type UsedTemplate = { readonly template: ModuleTemplate; readonly by: ModuleReleaseMeta }

/** ModuleTemplates that lack the mark. */
const unmarkedTemplates = ({ templates, metas }: ModuleCatalogue): readonly UsedTemplate[] =>
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

const markOf = ({ metadata }: ModuleTemplate): string | undefined => metadata.annotations?.[annotations.releasedBy]

/** The Events of a pass: faults that decide found, and failed writes. The next call repeats failed writes. */
export const report = (_world: World, plan: Plan, results: readonly StepResult[]): Report => ({
  status: {},
  events: [...plan.events, ...failureNotes(results)],
})
