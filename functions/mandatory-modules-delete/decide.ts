// What is deleted: first the Manifests of a mandatory module, then what declared it. Every pass makes all moves that are possible.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { hasFinalizer, isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import { isPickedUp } from '../../shared/kyma/labels.ts'
import { isLabelledMandatory } from '../../shared/kyma/modules/mandatory-templates.ts'
import { manifestsToGo } from './reasons.ts'
import { type End, endsIn } from './rules/deletions.ts'
import { notes } from './rules/notes.ts'
import { unmarkedTemplates } from './rules/used-templates.ts'
import type { World } from './world.ts'

const { finalizers, annotations } = kymaNames
const finalizer = finalizers.mandatoryModule

/** The ends of Manifests are watched; this is for events that were lost. */
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

/** What declares a mandatory module and would go without its Manifests. */
const unguarded = ({ catalogue: { templates, metas } }: World): readonly KubeObject[] =>
  [...templates.filter(isLabelledMandatory), ...metas.filter(({ spec }) => spec.mandatory)].filter(
    object => isPickedUp(object) && !isDeleting(object) && !hasFinalizer(object, finalizer),
  )

const marked = (target: KubeObject, by: string): Step => ({
  do: 'patch',
  target,
  merge: { metadata: { annotations: { [annotations.releasedBy]: by } } },
})

const letGo = ({ of, manifests, isHeld }: End): Step[] =>
  of && manifests.length === 0 && !isHeld ? [{ do: 'removeFinalizer', target: of, finalizer }] : []
