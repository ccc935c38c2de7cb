// The modules of a Kyma: modules in its spec or status, and removed modules whose Manifests still exist. A module is defined by a
// ModuleTemplate and a descriptor, even if it may not be installed now.
import { compare, parse } from 'semver'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { isOn, type Manifest, type ModuleEntry, type ModuleStatus, moduleNameOf } from '../../../shared/kyma/kinds.ts'
import { isManifestOf } from '../../../shared/kyma/manifests.ts'
import { type ModuleDescriptor, moduleDescriptor, namesComponent } from '../../../shared/kyma/modules/descriptor.ts'
import {
  type FoundModule,
  type LookUp,
  lookUp,
  type ModuleFault,
  type WantedModule,
} from '../../../shared/kyma/modules/look-up.ts'
import type { World } from '../world.ts'
import { visibilityFault } from './module-visibility.ts'

export type ListedModule = {
  readonly name: string
  readonly channel: string
  /** Absent: the module was removed from the spec. */
  readonly entry?: ModuleEntry
  readonly status?: ModuleStatus
}

const { labels } = kymaNames

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

/** The Manifests of modules that this Kyma lists or listed. Manifests of mandatory modules belong to another function. */
export const ownManifests = ({ kyma, wanted, manifests }: Listing): readonly Manifest[] => {
  const listed = new Set([...(wanted.modules ?? []), ...(kyma.status?.modules ?? [])].map(({ name }) => name))
  return manifests.filter(
    manifest =>
      isManifestOf(kyma, manifest) && !isOn(manifest, labels.mandatoryModule) && isOfListedModule(manifest, listed),
  )
}

/**
 * Whether the Kyma lists, listed or removed the Manifest's module. False for a mandatory module that lost its label: its Manifest has no
 * channel label, and the Kyma never listed the module. Such a Manifest must not be deleted.
 */
const isOfListedModule = ({ metadata }: Manifest, listed: ReadonlySet<string>): boolean => {
  const { [labels.channel]: channel, [labels.moduleName]: module } = metadata.labels ?? {}
  return channel !== undefined || module === undefined || listed.has(module)
}

export const isEntryOf = (status: ModuleStatus | undefined, manifest: string): boolean =>
  status?.manifest?.metadata?.name === manifest

export type DefinedModule = FoundModule & { readonly descriptor: ModuleDescriptor }

type Defined = { readonly defined: DefinedModule } | { readonly fault: ModuleFault }

/** The part of the world that is already known when these functions run. Their results determine further reads. */
type Defining = Pick<World, 'kyma' | 'settings' | 'catalogue' | 'pulled'>

export const definedModule = (module: WantedModule, world: Defining): Defined => {
  const looked = foundModule(module, world)
  return 'fault' in looked ? looked : withDescriptor(looked.found, world)
}

export const foundModule = (module: WantedModule, world: Defining): LookUp => {
  const { name, channel } = module
  if (channel === 'none') {
    const text = `invalid configuration in Kyma spec.modules for module ${name}: Channel "none" is not allowed`
    return { fault: { is: 'wrong', text } }
  }
  const looked = lookUp(module, world.catalogue)
  const hidden = 'found' in looked ? notAllowed(looked.found, module, world) : undefined
  return hidden ? { fault: hidden } : looked
}

const notAllowed = (found: FoundModule, { name }: WantedModule, { kyma, settings }: Defining) => {
  const { restrictedModules } = settings
  const why = visibilityFault(found, { kyma, module: name, restrictedModules })
  return why === undefined ? undefined : ({ is: 'notAllowed', text: why } as const)
}

const withDescriptor = (found: FoundModule, { pulled }: Defining): Defined => {
  const { metadata, spec } = found.template
  const document = namesComponent(spec.descriptor) ? { read: spec.descriptor } : pulled.get(metadata.name)
  if (document === undefined) return unresolved(nothingToPull(found))
  if ('failed' in document) return { fault: { is: 'outside', text: document.failed } }
  const descriptor = moduleDescriptor(mapOrEmpty(document.read))
  return 'failed' in descriptor ? unresolved(descriptor.failed) : { defined: { ...found, descriptor: descriptor.read } }
}

const nothingToPull = ({ template, meta }: FoundModule): string => {
  const missing = `ModuleTemplate ${template.metadata.name} contains no component descriptor`
  return meta
    ? `${missing}, and ModuleReleaseMeta ${meta.metadata.name} has no spec.ocmComponentName from which to pull it`
    : `${missing}, and no ModuleReleaseMeta names a component from which to pull it`
}

const unresolved = (text: string): Defined => ({ fault: { is: 'unresolved', text } })

/** Why a module must not go from one version to the other. undefined: it may. */
type VersionFault =
  | { readonly is: 'downgrade' }
  /** `side`: which of the two versions is not a semantic version. */
  | { readonly is: 'noVersion'; readonly side: 'installed' | 'next' }

/**
 * A module never goes back to a lower version automatically, because the old version may not be able to read objects of the new version.
 * Ignores a leading `v` and build metadata.
 */
export const versionFault = (installed: string, next: string): VersionFault | undefined => {
  const [from, to] = [parse(installed), parse(next)]
  if (to === null) return { is: 'noVersion', side: 'next' }
  if (from === null) return { is: 'noVersion', side: 'installed' }
  return compare(from, to) > 0 ? { is: 'downgrade' } : undefined
}
