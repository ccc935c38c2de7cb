// Maintains one Manifest for each mandatory module. Modules that are no longer mandatory are not uninstalled: a ModuleTemplate that is missing for a
// moment must not remove its module from all runtimes. When a user deletes the module, mandatory-modules-delete uninstalls it. This function only
// deletes Manifests that were created too late for mandatory-modules-delete.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { type EventNote, type Next, type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { isDeleting } from '../../shared/core/objects/object.ts'
import { type Manifest, moduleNameOf } from '../../shared/kyma/kinds.ts'
import { runtimeTaken } from '../../shared/kyma/kyma-runtime.ts'
import { manifestOf } from '../../shared/kyma/manifest-content.ts'
import { isMadeOf, isManifestOf, manifestCorrection } from '../../shared/kyma/manifests.ts'
import type { MandatoryModule } from '../../shared/kyma/modules/mandatory-modules.ts'
import { unsigned } from '../../shared/kyma/modules/signature.ts'
import { manifestInTheWay, notInstalled } from './reasons.ts'
import { formerManifests } from './rules/abandoned.ts'
import type { World } from './world.ts'

const { labels, annotations } = kymaNames

const lookAgainSeconds = 30

export const decide = (world: World): Plan => {
  const verdicts = verdictsOn(world)
  const unpulled = world.unpulled.map(notInstalled)
  const events = [...unpulled, ...verdicts.flatMap(({ event }) => event ?? [])]
  const steps = [...world.abandoned.map(deletion), ...verdicts.flatMap(({ steps }) => steps)]
  return { steps, status: {}, events, next: nextOf(unpulled, events, world) }
}

/** No event reports that a registry has recovered or that a runtime is free. All other changes cause events. */
const nextOf = ([unpulled]: readonly EventNote[], [wrong]: readonly EventNote[], { rival }: World): Next => {
  if (unpulled) return { is: 'failed', seconds: lookAgainSeconds, reason: unpulled.message }
  if (rival) return { is: 'waiting', seconds: lookAgainSeconds, for: runtimeTaken(rival) }
  return wrong ? { is: 'stalled', reason: wrong.message } : settled
}

const deletion = (target: Manifest): Step => ({ do: 'delete', target })

type Verdict = { readonly steps: readonly Step[]; readonly event?: EventNote }

/** Long names are shortened, so two modules may need the same name. A module whose name is taken gets an alternative name. */
const verdictsOn = (world: World): readonly Verdict[] => {
  const others = [...world.manifests]
  return world.modules.map(module => {
    const desired = desiredManifest(module, { ...world, others })
    if (desired) others.push(desired)
    return desired ? verdictOn(module, desired, world) : { steps: [] }
  })
}

const verdictOn = (module: MandatoryModule, desired: Manifest, world: World): Verdict => {
  const { kyma, leavingTemplates, manifests, rival } = world
  const stored = manifests.find(({ metadata }) => metadata.name === desired.metadata.name)
  const fault = unsigned(module.module, module, world)
  if (fault) return { steps: [], event: notInstalled({ regarding: module.template, text: fault.text }) }
  if (!stored) return { steps: rival ? [] : [{ do: 'create', object: desired }] }
  if (!isManifestOf(kyma, stored) || !isOfModule(stored, desired))
    return { steps: [], event: manifestInTheWay(stored, module.module) }
  const isGoing = isDeleting(stored) || leavingTemplates.some(template => isMadeOf(template, stored))
  if (isGoing) return { steps: [] }
  const former = formerManifests({ ...module, manifest: stored }, manifests, kyma)
  return { steps: [...manifestCorrection(stored, desired), ...former.map(deletion)] }
}

type Naming = Pick<World, 'kyma' | 'settings'> & { readonly others: readonly Manifest[] }

/** undefined: the Manifest cannot be built; mandatory-modules-delete reports why. */
const desiredManifest = (module: MandatoryModule, { kyma, settings, others }: Naming): Manifest | undefined => {
  const { registry } = settings
  const made = manifestOf({ ...module, kyma, registry, others, customResourcePolicy: 'CreateAndDelete' })
  if ('failed' in made) return undefined
  const { metadata, ...rest } = made.read
  return { ...rest, metadata: { ...metadata, labels: { ...metadata.labels, [labels.mandatoryModule]: 'true' } } }
}

/** Either label or annotation is enough, because users may have edited the other. */
const isOfModule = (stored: Manifest, desired: Manifest): boolean =>
  moduleNameOf(stored) === moduleNameOf(desired) ||
  stored.metadata.annotations?.[annotations.fqdn] === desired.metadata.annotations?.[annotations.fqdn]
