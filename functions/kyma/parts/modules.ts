// The modules: a Manifest for each desired module, and an entry in the status for each module.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import { excerpt } from '../../../shared/core/text/text.ts'
import { isModuleWell, type Manifest, type ModuleStatus } from '../../../shared/kyma/kinds.ts'
import { hasList, manifestCorrection } from '../../../shared/kyma/manifests.ts'
import { meaningOf } from '../../../shared/kyma/modules/look-up.ts'
import { moduleEntries } from '../rules/module-entries.ts'
import { type ModuleView, moduleViews } from '../rules/module-views.ts'
import { isCopyHidden } from '../rules/runtime.ts'
import { troubleOf } from '../rules/state.ts'
import type { World } from '../world.ts'
import type { KymaPart, KymaPartReport } from './part.ts'

const { annotations } = kymaNames

export const modules: KymaPart = {
  name: 'modules',
  steps: (world, now) => (isUnjudged(world) ? [] : moduleViews(world, now).flatMap(stepsFor)),
  reports: (world, results, now) => {
    if (isUnjudged(world)) return { modules: unknownModules(world), condition: { ...condition, status: 'Unknown' } }
    const views = moduleViews(withResults(world, results), now)
    const entries = moduleEntries(views, failuresByName(results))
    const isReady = entries.every(isModuleWell)
    return {
      modules: entries,
      condition: { ...condition, status: isReady ? 'True' : 'False' },
      ...needsOf(views),
      ...duesOf(views, now),
    }
  },
}

/** The desired modules are unknown, so the modules do not change. */
const isUnjudged = (world: World): boolean => troubleOf(world) !== undefined || isCopyHidden(world)

/** If the runtime cannot be reached, all its modules are in Error. */
const unknownModules = ({ kyma, runtime }: World): readonly ModuleStatus[] => {
  const known = kyma.status?.modules ?? []
  if (!('fault' in runtime)) return known
  const added = (kyma.spec.modules ?? []).filter(({ name }) => !known.some(module => module.name === name))
  const all = [
    ...known,
    ...added.map(({ name, channel = kyma.spec.channel }) => ({ name, channel, maintenance: false })),
  ]
  const message = excerpt(faultCharactersMost, runtime.fault)
  return all.map(module => ({ ...module, state: 'Error', message }))
}

/** Each module quotes only the beginning of the runtime's fault, because the runtime's owner may list 500 modules. The Kyma quotes more. */
const faultCharactersMost = 256

const condition = { type: 'Modules', otherwise: 'Processing' } as const

const failuresByName = (results: readonly StepResult[]): ReadonlyMap<string, string> =>
  new Map(results.flatMap(({ step, error }) => (error ? [[nameIn(step), error.message] as const] : [])))

const needsOf = (views: readonly ModuleView[]): Pick<KymaPartReport, 'needs'> => {
  const meanings = views.flatMap(({ resolution }) => (resolution.is === 'fault' ? [meaningOf(resolution.fault)] : []))
  if (meanings.some(({ isOutside }) => isOutside)) return { needs: 'outside' }
  return meanings.some(({ needsPerson }) => needsPerson) ? { needs: 'person' } : {}
}

/** Seconds until the first waiting update is due. */
const duesOf = (views: readonly ModuleView[], now: Date): Pick<KymaPartReport, 'againSeconds'> => {
  const dues = views.flatMap(({ resolution }) =>
    resolution.is === 'fault' && resolution.fault.endsAt ? [resolution.fault.endsAt.getTime() - now.getTime()] : [],
  )
  return dues.length === 0 ? {} : { againSeconds: Math.max(1, Math.ceil(Math.min(...dues) / 1_000)) }
}

const stepsFor = (view: ModuleView): Step[] => [...stepsForOthers(view), ...stepsForManifest(view)]

/**
 * An old Manifest hands its objects over to the new Manifest if the new Manifest has a list of objects. Without a list the old Manifest is
 * kept, because its deletion would delete the objects.
 */
const stepsForOthers = ({ entry, resolution, manifest, others }: ModuleView): Step[] => {
  if (!entry || isRemoved(resolution)) return others.flatMap(deletion)
  if (resolution.is === 'unmanaged')
    return others.filter(other => !isDeleting(other) && !isMarkedUnmanaged(other)).map(unmanaging)
  return manifest && hasList(manifest) ? others.flatMap(deletion) : []
}

const isRemoved = (resolution: ModuleView['resolution']): boolean =>
  resolution.is === 'fault' && (meaningOf(resolution.fault).removes ?? false)

/** The Manifest of a removed module follows new versions until it is gone, because its deletion may need them. */
const stepsForManifest = ({ entry, resolution, manifest }: ModuleView): Step[] => {
  if (manifest && isMarkedUnmanaged(manifest)) return entry ? managedAgain(resolution, manifest) : deletion(manifest)
  const isGoing = manifest !== undefined && isDeleting(manifest)
  if (!entry && manifest && !isGoing) return deletion(manifest)
  if (resolution.is === 'unmanaged') return manifest && !isGoing ? [unmanaging(manifest)] : []
  if (resolution.is === 'fault') return manifest && meaningOf(resolution.fault).removes ? deletion(manifest) : []
  if (manifest) return manifestCorrection(manifest, resolution.desired)
  return entry ? [{ do: 'create', object: resolution.desired }] : []
}

const isMarkedUnmanaged = ({ metadata }: Manifest): boolean =>
  metadata.annotations?.[annotations.isUnmanaged] === 'true'

/**
 * The module is managed again. A Manifest in deletion keeps its mark `unmanaged`: without the mark it would delete the module's objects in
 * the runtime. When the old Manifest is gone, a new Manifest is created.
 */
const managedAgain = (resolution: ModuleView['resolution'], manifest: Manifest): Step[] =>
  resolution.is === 'resolved' && !isDeleting(manifest) ? manifestCorrection(manifest, resolution.desired) : []

const deletion = (target: Manifest): Step[] => (isDeleting(target) ? [] : [{ do: 'delete', target }])

const unmanaging = (target: Manifest): Step => ({
  do: 'patch',
  target,
  merge: { metadata: { annotations: { [annotations.isUnmanaged]: 'true' } } },
})

const nameIn = (step: Step): string => subjectOf(step).metadata.name

const withResults = (world: World, results: readonly StepResult[]): World => {
  const done = new Map(
    results.filter(({ error }) => !error).map(result => [nameIn(result.step), leftBy(result)] as const),
  )
  const untouched = world.manifests.filter(({ metadata }) => !done.has(metadata.name))
  return done.size === 0 ? world : { ...world, manifests: [...untouched, ...[...done.values()].flat()] }
}

/** An object with a finalizer is still being deleted; an object without one is gone. */
const leftBy = ({ step, changed, object }: StepResult): Manifest[] => {
  if (step.do !== 'delete') return object ? [object as Manifest] : []
  const { metadata } = step.target
  const isHeld = changed && (metadata.finalizers ?? []).length > 0
  return isHeld ? [{ ...step.target, metadata: { ...metadata, deletionTimestamp: 'now' } } as Manifest] : []
}
