// Each module of a Kyma with all that belongs to it: its entries in spec and status, what it should be, and its Manifests.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { remembered } from '../../../shared/core/memory/remembered.ts'
import { keyOf, keyText } from '../../../shared/core/objects/object.ts'
import type { Manifest, ModuleEntry, ModuleStatus } from '../../../shared/kyma/kinds.ts'
import { isOfAnother, isOn, moduleNameOf } from '../../../shared/kyma/labels.ts'
import { manifestOf } from '../../../shared/kyma/manifest-content.ts'
import { isManifestOf, owningKyma } from '../../../shared/kyma/manifests.ts'
import type { ModuleFault } from '../../../shared/kyma/module-faults.ts'
import { unsigned } from '../../../shared/kyma/signed-module.ts'
import type { World } from '../world.ts'
import { type DefinedModule, definedModule } from './defined-module.ts'
import { updateFault } from './update.ts'

export type ModuleView = ListedModule & {
  readonly resolution: Resolution
  /** The Manifest that counts. */
  readonly manifest?: Manifest
  /** Former ones, under names that the module has no more. */
  readonly others: readonly Manifest[]
}

/** A module that spec, status or a Manifest names. */
type ListedModule = {
  readonly name: string
  readonly channel: string
  /** Absent: it was taken out. */
  readonly entry?: ModuleEntry
  readonly status?: ModuleStatus
}

type Resolution =
  | { readonly is: 'resolved'; readonly module: DefinedModule; readonly desired: Manifest }
  | { readonly is: 'fault'; readonly fault: ModuleFault }
  /** The Kyma leaves it alone from now on. */
  | { readonly is: 'unmanaged' }

const { labels } = kymaNames

/** In the order of the spec; those that were taken out come last. */
export const moduleViews = remembered((world: World, now: Date): readonly ModuleView[] => {
  const resolved = listedModules(world).map(module => ({ ...module, resolution: resolutionOf(module, world, now) }))
  const holders = holdersOf(resolved, world)
  return resolved.map(module => withManifests(withoutTaken(module, { holders, world }), { holders, world }))
})

/** Those of spec and status, and those whose Manifests are all that is left of them. */
export const listedModules = (world: Listing) => {
  const { kyma, wanted } = world
  const entries = wanted.modules ?? []
  const statuses = kyma.status?.modules ?? []
  const left = ownManifests(world).flatMap(manifest => moduleNameOf(manifest) ?? [])
  const names = new Set([...entries.map(({ name }) => name), ...statuses.map(({ name }) => name), ...left])
  return [...names].map((name): ListedModule => {
    const entry = entries.find(one => one.name === name)
    const status = statuses.find(one => one.name === name)
    const channel = entry ? (entry.channel ?? wanted.channel) : (status?.channel ?? wanted.channel)
    return { name, channel, ...(entry && { entry }), ...(status && { status }) }
  })
}

export const isUnmanaged = ({ entry, status }: ListedModule): boolean =>
  entry ? entry.managed === false : status?.state === 'Unmanaged'

type Listing = Pick<World, 'kyma' | 'wanted' | 'manifests'>

/** The Manifests of modules that this Kyma lists, or listed; mandatory ones belong to another function. */
const ownManifests = ({ kyma, wanted, manifests }: Listing): readonly Manifest[] => {
  const listed = new Set([...(wanted.modules ?? []), ...(kyma.status?.modules ?? [])].map(({ name }) => name))
  return manifests.filter(
    manifest =>
      isManifestOf(kyma, manifest) && !isOn(manifest, labels.mandatoryModule) && isOfListedModule(manifest, listed),
  )
}

/**
 * A Manifest of a module that the Kyma lists, listed, or took out. False for the Manifest of a mandatory module whose label somebody removed:
 * it has no channel label either, and the Kyma never listed its module. It must not be deleted.
 */
const isOfListedModule = ({ metadata }: Manifest, listed: ReadonlySet<string>): boolean => {
  const { [labels.channel]: channel, [labels.moduleName]: module } = metadata.labels ?? {}
  return channel !== undefined || module === undefined || listed.has(module)
}

const isEntryOf = (status: ModuleStatus | undefined, manifest: string): boolean =>
  status?.manifest?.metadata.name === manifest

const resolutionOf = (module: ListedModule, world: World, now: Date): Resolution => {
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
  const { registry } = world.settings.modules
  const of = { kyma: world.kyma, module: module.name, ...defined.defined, customResourcePolicy, channel, registry }
  const desired = manifestOf(of)
  return 'failed' in desired
    ? { is: 'fault', fault: { is: 'unresolved', text: desired.failed } }
    : { is: 'resolved', module: defined.defined, desired: desired.read }
}

/**
 * Something is installed, and in another version. Where no Manifest is left the module begins anew, and a Manifest that was just made anew
 * has the version already, whatever the entry says.
 */
const isReplacedBy = ({ descriptor }: DefinedModule, { name, status }: ListedModule, world: World): boolean => {
  const installed = ownManifests(world).filter(
    manifest => moduleNameOf(manifest) === name || isEntryOf(status, manifest.metadata.name),
  )
  return installed.length > 0 && !installed.some(({ spec }) => spec.version === descriptor.version)
}

type Resolved = ListedModule & Pick<ModuleView, 'resolution'>

/** The module of each of our Manifests and of each name that one needs. */
type Holders = ReadonlyMap<string, string>

/** Names are cut, so two modules may need the same: the one counts whose label the Manifest carries, else the first. */
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

/** A module whose Manifest would bear the name of one that belongs to somebody else cannot be installed. */
const withoutTaken = (module: Resolved, { holders, world }: Among): Resolved => {
  if (module.resolution.is !== 'resolved') return module
  const text = takenText(module.resolution.desired, { module, holders, world })
  return text === undefined ? module : { ...module, resolution: { is: 'fault', fault: { is: 'unresolved', text } } }
}

type Taking = Among & { readonly module: Resolved }

const takenText = (desired: Manifest, { module, holders, world }: Taking): string | undefined => {
  const { kyma, manifests } = world
  const { name } = desired.metadata
  const stored = manifests.find(manifest => manifest.metadata.name === name)
  const where = `Manifest ${keyText(keyOf(desired))}`
  const barrier = stored && barrierOf(stored)
  if (barrier) return `${where} is in the way: its label ${barrier} is "${stored.metadata.labels?.[barrier]}"`
  const isOurs = stored === undefined || isManifestOf(kyma, stored)
  const holder = isOurs ? holders.get(name) : moduleNameOf(stored)
  if (isOurs && holder === module.name) return undefined
  const owner = isOurs ? kyma.metadata.name : owningKyma(stored)
  return `${where} belongs to module ${holder} of Kyma ${owner}, not to module ${module.name} of Kyma ${kyma.metadata.name}`
}

/** The label that says whose it is instead: another program's, or that of the function for mandatory modules. */
const barrierOf = (stored: Manifest): string | undefined => {
  if (isOfAnother(stored)) return labels.managedBy
  return isOn(stored, labels.mandatoryModule) ? labels.mandatoryModule : undefined
}

const withManifests = (module: Resolved, { holders, world }: Among): ModuleView => {
  const all = ownManifests(world).filter(({ metadata }) => holders.get(metadata.name) === module.name)
  const called = (name: string | undefined) => all.find(({ metadata }) => metadata.name === name)
  const { resolution, status } = module
  const manifest =
    resolution.is === 'resolved' ? called(desiredName(resolution)) : (called(status?.manifest?.metadata.name) ?? all[0])
  return { ...module, ...(manifest && { manifest }), others: all.filter(other => other !== manifest) }
}
