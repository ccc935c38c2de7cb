// Decides the steps on the Manifest itself, and which of these steps come first. The engine plans the steps for the module's objects
// (shared/component/plan.ts).
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { objectKey } from '../../shared/component/item.ts'
import { possessionOf } from '../../shared/component/ownership.ts'
import { type ComponentPlan, plan } from '../../shared/component/plan.ts'
import { type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { isDeleting } from '../../shared/core/objects/object.ts'
import { othersFinalizers, ownFinalizers } from '../../shared/kyma/kinds.ts'
import { ourLabels } from './desired/module-objects.ts'
import { hasNotedLayer, isHandedOver, layerDigest, wantedFinalizers } from './rules/lifecycle.ts'
import type { Found, Installed, World } from './world.ts'

/** `dependents`: the engine's plan for the objects of the module, which report.ts needs. */
export type ManifestPlan = Plan & { readonly dependents?: ComponentPlan }

type Decided = { readonly steps: readonly Step[]; readonly dependents?: ComponentPlan }

const nothing: Decided = { steps: [] }

const rows: { readonly [Is in Found['is']]: (world: World, found: Extract<Found, { is: Is }>, now: Date) => Decided } =
  {
    leftAlone: () => nothing,
    released: () => nothing,
    failed: () => nothing,
    postponed: () => nothing,
    inOrder: () => nothing,
    cutOff: world => ({ steps: [finalizersStep(world, othersFinalizers(world.manifest))] }),
    installed: (world, found, now) => forModule(world, found, now),
  }

/** Returns only steps. report.ts determines the status and the time of the next call. */
export const decide = (world: World, now: Date): ManifestPlan => {
  const row = rows[world.found.is] as (world: World, found: Found, now: Date) => Decided
  return { ...row(world, world.found, now), status: {}, events: [], next: settled }
}

const forModule = (world: World, found: Installed, now: Date): Decided => {
  const { manifest } = world
  if (isHandedOver(manifest)) return { steps: handingOver(world, found) }
  const missing = wantedFinalizers(manifest).filter(name => !ownFinalizers(manifest).includes(name))
  const isUnheld = missing.length > 0 && !isDeleting(manifest)
  const holding = isUnheld ? [finalizersStep(world, [...(manifest.metadata.finalizers ?? []), ...missing])] : []
  // First the status must record that the default object is gone. Otherwise nothing would show the loss once the kind is served again.
  if (found.isDefaultGone) return { steps: holding }
  const dependents = plan(found.dependents, now)
  // In the pass that adds the finalizers, only the keys of new objects are saved.
  const hasKeysToSave = dependents.steps.length === 0 && dependents.next.is === 'again'
  if (isUnheld) return { steps: holding, ...(hasKeysToSave && { dependents }) }
  const steps = dependents.steps.map(step => unseen(byItsManager(step, found), found))
  return { dependents, steps: dependents.ready ? [...steps, ...lastSteps(world)] : steps }
}

/** Removes our labels from the objects, unless another Manifest owns the object. Then the Manifest is deleted. */
const handingOver = (world: World, { dependents }: Installed): Step[] => {
  const { manifest } = world
  const { observed, on } = dependents
  const marked = [...observed.live.values()]
    .filter(object => possessionOf(object, dependents) !== 'foreign')
    .filter(({ metadata }) => ourLabels.some(label => metadata.labels?.[label]))
  const merge = { metadata: { labels: Object.fromEntries(ourLabels.map(label => [label, null])) } }
  if (marked.length > 0) return marked.map(target => ({ do: 'patch', target, merge, on }))
  return isDeleting(manifest)
    ? [finalizersStep(world, othersFinalizers(manifest))]
    : [{ do: 'delete', target: manifest }]
}

/** The steps after everything is installed, or everything is gone. */
const lastSteps = (world: World): Step[] => {
  const { manifest } = world
  if (isDeleting(manifest)) return [finalizersStep(world, othersFinalizers(manifest))]
  const annotations = { [kymaNames.annotations.syncOciRef]: layerDigest(manifest) }
  return hasNotedLayer(manifest) ? [] : [{ do: 'patch', target: manifest, merge: { metadata: { annotations } } }]
}

/** Finalizers change in one patch, because a second patch would conflict with the first. */
const finalizersStep = ({ manifest }: World, finalizers: readonly string[]): Step => ({
  do: 'patch',
  target: manifest,
  merge: { metadata: { finalizers } },
})

/** An added object was not read. If the API server refuses its creation because it exists, the next pass reads the object. */
const unseen = (step: Step, { dependents: { added } }: Installed): Step =>
  step.do === 'create' && added?.has(objectKey(step.object)) ? { ...step, isConflictPassing: true } : step

/** The default object has its own field manager. The content of an existing default object stays, because it belongs to the user. */
const byItsManager = (step: Step, { defaultKey, dependents }: Installed): Step => {
  if (!('object' in step) || objectKey(step.object) !== defaultKey) return step
  const fieldManager = kymaNames.fieldManagers.defaultResource
  const target = dependents.observed.live.get(defaultKey)
  if (!target) return { ...step, fieldManager }
  const { object, on, order } = step
  const { labels, annotations } = object.metadata
  return { do: 'patch', target, merge: { metadata: { labels, annotations } }, on, order, fieldManager }
}
