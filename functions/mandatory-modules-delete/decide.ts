// First deletes the Manifests of a deleted mandatory module, then removes the finalizer of the object that declared the module.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { type EventNote, type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { hasFinalizer, isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import { isLabelledMandatory, isPickedUp, type ModuleTemplate } from '../../shared/kyma/kinds.ts'
import { type ModuleCatalogue, moduleOfTemplate } from '../../shared/kyma/modules/look-up.ts'
import { mandatoryModules, mandatoryTemplateName } from '../../shared/kyma/modules/mandatory-modules.ts'
import { declaredInVain, labelMissing, manifestsToGo, nameDiffers, notPickedUpElsewhere } from './reasons.ts'
import { type End, endsIn, unmarkedTemplates } from './rules/deletions.ts'
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
