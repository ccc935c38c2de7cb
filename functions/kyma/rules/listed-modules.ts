// The modules of a Kyma: modules in its spec or status, and removed modules whose Manifests still exist.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { isOn, type Manifest, type ModuleEntry, type ModuleStatus, moduleNameOf } from '../../../shared/kyma/kinds.ts'
import { isManifestOf } from '../../../shared/kyma/manifests.ts'
import type { World } from '../world.ts'

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
