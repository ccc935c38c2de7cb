// Combines each module of a Kyma with its entries in spec and status, its desired Manifest, and its stored Manifests.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { remembered } from '../../../shared/core/memory/remembered.ts'
import { keyOf, keyText } from '../../../shared/core/objects/object.ts'
import { isOfAnother, isOn, type Manifest, moduleNameOf } from '../../../shared/kyma/kinds.ts'
import { manifestOf } from '../../../shared/kyma/manifest-content.ts'
import { isManifestOf, owningKyma } from '../../../shared/kyma/manifests.ts'
import type { ModuleFault } from '../../../shared/kyma/modules/look-up.ts'
import { unsigned } from '../../../shared/kyma/modules/signature.ts'
import type { World } from '../world.ts'
import {
  type DefinedModule,
  definedModule,
  isEntryOf,
  isUnmanaged,
  type ListedModule,
  listedModules,
  ownManifests,
} from './listed-modules.ts'
import { updateFault } from './update.ts'

export type ModuleView = ListedModule & {
  readonly resolution: Resolution
  readonly manifest?: Manifest
  /** Old Manifests of the module, with other names than the desired Manifest. */
  readonly others: readonly Manifest[]
}

const { labels } = kymaNames

/** Modules in the order of the spec. Removed modules come last. */
export const moduleViews = remembered((world: World, now: Date): readonly ModuleView[] => {
  const resolved = resolvedModules(world, now)
  const holders = holdersOf(resolved, world)
  return resolved.map(module => withManifests(withoutTaken(module, { holders, world }), { holders, world }))
})

type Resolved = ListedModule & Pick<ModuleView, 'resolution'>

/** Shortened names may be equal. The first module without a Manifest gets the name, the next module gets another name. */
const resolvedModules = (world: World, now: Date): readonly Resolved[] => {
  const others = [...world.manifests]
  return listedModules(world).map(module => {
    const resolution = resolutionOf(module, { ...world, others }, now)
    if (resolution.is === 'resolved') others.push(resolution.desired)
    return { ...module, resolution }
  })
}

/** By Manifest name, the module to which the name belongs. Contains all our Manifests and all names that modules need. */
type Holders = ReadonlyMap<string, string>

/** If two modules need the same name, the module in the Manifest's label gets the name, otherwise the first module. */
const holdersOf = (modules: readonly Resolved[], world: World): Holders => {
  const needing = Map.groupBy(
    modules.filter(({ resolution }) => resolution.is === 'resolved'),
    ({ resolution }) => desiredName(resolution),
  )
  const own = new Map(ownManifests(world).map(manifest => [manifest.metadata.name, manifest]))
  const names = [...needing.keys(), ...own.keys()].filter(name => name !== undefined)
  return new Map(
    names.flatMap(name => {
      const manifest = own.get(name)
      const label = manifest && moduleNameOf(manifest)
      const claimants = (needing.get(name) ?? modules.filter(one => isEntryOf(one.status, name))).map(one => one.name)
      const holder = claimants.find(claimant => claimant === label) ?? claimants[0] ?? label
      return holder === undefined ? [] : [[name, holder] as const]
    }),
  )
}

const desiredName = (resolution: Resolution): string | undefined =>
  resolution.is === 'resolved' ? resolution.desired.metadata.name : undefined

type Among = { readonly holders: Holders; readonly world: World }

/** A module is not installed if its Manifest's name belongs to another owner. */
const withoutTaken = (module: Resolved, { holders, world }: Among): Resolved => {
  if (module.resolution.is !== 'resolved') return module
  const text = takenText(module.resolution.desired, { module, holders, world })
  return text === undefined ? module : { ...module, resolution: { is: 'fault', fault: { is: 'unresolved', text } } }
}

const takenText = (
  desired: Manifest,
  { module, holders, world }: Among & { readonly module: Resolved },
): string | undefined => {
  const { kyma, manifests } = world
  const { name } = desired.metadata
  const stored = manifests.find(manifest => manifest.metadata.name === name)
  const where = `Manifest ${keyText(keyOf(desired))}`
  const barrier = stored && barrierOf(stored)
  if (barrier)
    return `${where} cannot be used for the module: its label ${barrier} is "${stored.metadata.labels?.[barrier]}"`
  const isOurs = stored === undefined || isManifestOf(kyma, stored)
  const holder = isOurs ? holders.get(name) : moduleNameOf(stored)
  if (isOurs && holder === module.name) return undefined
  const owner = isOurs ? kyma.metadata.name : owningKyma(stored)
  return `${where} belongs to module ${holder} of Kyma ${owner}, not to module ${module.name} of Kyma ${kyma.metadata.name}`
}

/** The label that shows another owner: another program, or the function for mandatory modules. */
const barrierOf = (stored: Manifest): string | undefined => {
  if (isOfAnother(stored)) return labels.managedBy
  return isOn(stored, labels.mandatoryModule) ? labels.mandatoryModule : undefined
}

const withManifests = (module: Resolved, { holders, world }: Among): ModuleView => {
  const all = ownManifests(world).filter(({ metadata }) => holders.get(metadata.name) === module.name)
  const called = (name: string | undefined) => all.find(({ metadata }) => metadata.name === name)
  const { resolution, status } = module
  const manifest =
    resolution.is === 'resolved'
      ? called(desiredName(resolution))
      : (called(status?.manifest?.metadata?.name) ?? all[0])
  return { ...module, ...(manifest && { manifest }), others: all.filter(other => other !== manifest) }
}

/** The desired state of a module: a Manifest, or no Manifest because of a fault or because the Kyma does not manage the module. */
type Resolution =
  | { readonly is: 'resolved'; readonly module: DefinedModule; readonly desired: Manifest }
  | { readonly is: 'fault'; readonly fault: ModuleFault }
  /** The Kyma no longer manages the module. */
  | { readonly is: 'unmanaged' }

/** `others`: Manifests whose names are already in use. */
type Naming = World & { readonly others: readonly Manifest[] }

const resolutionOf = (module: ListedModule, world: Naming, now: Date): Resolution => {
  if (isUnmanaged(module)) return { is: 'unmanaged' }
  const { name, entry, status, channel } = module
  const defined = definedModule({ ...module, controller: entry?.controller }, world)
  if ('fault' in defined) return { is: 'fault', fault: defined.fault }
  const fault =
    (status &&
      isReplacedBy(defined.defined, module, world) &&
      updateFault({ module: defined.defined, channel, status }, world, now)) ||
    unsigned(name, defined.defined, world)
  if (fault) return { is: 'fault', fault }
  const { customResourcePolicy = 'CreateAndDelete' } = entry ?? {}
  const { kyma, others, settings } = world
  const into = { kyma, others, channel, registry: settings.registry }
  const desired = manifestOf({ module: name, ...defined.defined, customResourcePolicy, ...into })
  return 'failed' in desired
    ? { is: 'fault', fault: { is: 'unresolved', text: desired.failed } }
    : { is: 'resolved', module: defined.defined, desired: desired.read }
}

/** Whether all Manifests of the module have another version. Without a Manifest, no version is installed. */
const isReplacedBy = ({ descriptor }: DefinedModule, { name, status }: ListedModule, world: World): boolean => {
  const installed = ownManifests(world).filter(
    manifest => moduleNameOf(manifest) === name || isEntryOf(status, manifest.metadata.name),
  )
  return installed.length > 0 && !installed.some(({ spec }) => spec.version === descriptor.version)
}
