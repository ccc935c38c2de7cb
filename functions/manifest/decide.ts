// What is done for a Manifest now. The objects of its module are the engine's matter (shared/component/plan.ts); here are the
// steps on the Manifest itself, and which of them comes first.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { type ComponentPlan, plan } from '../../shared/component/plan.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../shared/core/object.ts'
import { type Plan, type Step, settled } from '../../shared/core/plan.ts'
import { defaultObject } from './desired/module-objects.ts'
import { othersFinalizers, ownFinalizers, wantedFinalizers } from './rules/standing.ts'
import type { Found, Installed, World } from './world.ts'

/** `dependents`: the plan for the objects of the module, for the report. */
export type ManifestPlan = Plan & { readonly dependents?: ComponentPlan }

type Decided = { readonly steps: readonly Step[]; readonly dependents?: ComponentPlan }

const nothing: Decided = { steps: [] }

const rows: { readonly [Is in Found['is']]: (world: World, found: Extract<Found, { is: Is }>, now: Date) => Decided } =
  {
    leftAlone: () => nothing,
    released: () => nothing,
    failed: () => nothing,
    postponed: () => nothing,
    cutOff: world => ({ steps: [finalizersStep(world, [])] }),
    installed: (world, found, now) => forModule(world, found, now),
  }

/** Steps only; report.ts makes the status and says when to look again. */
export const decide = (world: World, now: Date): ManifestPlan => {
  const row = rows[world.found.is] as (world: World, found: Found, now: Date) => Decided
  return { ...row(world, world.found, now), status: {}, events: [], next: settled }
}

const forModule = (world: World, found: Installed, now: Date): Decided => {
  const { manifest } = world
  const missing = wantedFinalizers(manifest).filter(name => !ownFinalizers(manifest).includes(name))
  if (missing.length > 0 && !isDeleting(manifest))
    return { steps: [finalizersStep(world, [...(manifest.metadata.finalizers ?? []), ...missing])] }
  const dependents = plan(found.dependents, now)
  const steps = dependents.steps.map(step => byItsManager(step, manifest))
  return { dependents, steps: dependents.ready ? [...steps, ...lastSteps(world, found)] : steps }
}

/** When all is installed, or all is gone. */
const lastSteps = (world: World, { layerDigest }: Installed): Step[] => {
  const { manifest } = world
  if (isDeleting(manifest)) return [finalizersStep(world, othersFinalizers(manifest))]
  const { syncOciRef } = kymaNames.annotations
  const annotations = { [syncOciRef]: layerDigest }
  return manifest.metadata.annotations?.[syncOciRef] === layerDigest
    ? []
    : [{ do: 'patch', target: manifest, merge: { metadata: { annotations } } }]
}

/** All at once: each would else end in a conflict with the one before. */
const finalizersStep = ({ manifest }: World, finalizers: readonly string[]): Step => ({
  do: 'patch',
  target: manifest,
  merge: { metadata: { finalizers } },
})

/** The default object has a field manager of its own, and who has it already keeps its content. */
const byItsManager = (step: Step, manifest: World['manifest']): Step => {
  const resource = defaultObject(manifest)
  if (!resource || !('object' in step) || !isSameObject(step.object, resource)) return step
  const own = { ...step, fieldManager: kymaNames.fieldManagers.defaultResource }
  return own.do === 'apply' ? { ...own, object: bare(own.object) } : own
}

const isSameObject = (object: KubeObject, resource: KubeObject): boolean =>
  object.apiVersion === resource.apiVersion &&
  refText({ ...refOf(object), namespace: '' }) === refText({ ...refOf(resource), namespace: '' })

const bare = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({ apiVersion, kind, metadata })
