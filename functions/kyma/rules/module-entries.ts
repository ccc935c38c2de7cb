// The entries of status.modules, which users and other programs read.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Manifest, ModuleState, ModuleStatus } from '../../../shared/kyma/kinds.ts'
import { type ModuleFault, meaningOf } from '../../../shared/kyma/modules/look-up.ts'
import { statusText } from '../../../shared/kyma/next-call.ts'
import type { DefinedModule } from './listed-modules.ts'
import type { ModuleView } from './module-views.ts'

const { labels, annotations } = kymaNames

/** `failed`: why a write failed, by the name of the Manifest. */
export const moduleEntries = (
  views: readonly ModuleView[],
  failed: ReadonlyMap<string, string>,
): readonly ModuleStatus[] => views.flatMap(view => entryOf(view, failed)).map(withShortMessage)

/** The message is shortened, because it may quote a descriptor of up to 100 KiB. */
const withShortMessage = ({ message, ...entry }: ModuleStatus): ModuleStatus =>
  message === undefined ? entry : { ...entry, message: statusText(message) }

const entryOf = (view: ModuleView, failed: ReadonlyMap<string, string>): ModuleStatus[] => {
  const { entry, resolution, manifest, others } = view
  if (!entry && !manifest && others.length === 0) return []
  if (resolution.is === 'unmanaged') return [manifest && isGoing(manifest) ? leaving(view, manifest) : unmanaged(view)]
  if (!entry) return [leaving(view, manifest)]
  if (resolution.is === 'fault') return [withFault(view, resolution.fault)]
  const { name } = resolution.desired.metadata
  const failure = failed.get(name)
  if (failure !== undefined) return [withFault(view, { is: 'outside', text: failure })]
  return manifest ? [installed(view, { module: resolution.module, manifest })] : [withFault(view, notThereYet)]
}

/** The Manifest was deleted. The next pass creates it again. */
const notThereYet: ModuleFault = { is: 'notYet', text: 'the Manifest does not exist yet' }

/** The Manifest is being deleted, together with its module. */
const isGoing = (manifest: Manifest): boolean =>
  isDeleting(manifest) && manifest.metadata.annotations?.[annotations.isUnmanaged] !== 'true'

const unmanaged = ({ name, channel, status }: ModuleView): ModuleStatus => {
  const { fqdn, ocmComponentName, version } = status ?? {}
  return {
    name,
    state: 'Unmanaged',
    channel,
    maintenance: false,
    ...(fqdn !== undefined && { fqdn }),
    ...(ocmComponentName !== undefined && { ocmComponentName }),
    ...(version !== undefined && { version }),
  }
}

/** A removed module keeps its last entry until its Manifest is gone. */
const leaving = ({ name, channel, status }: ModuleView, manifest: Manifest | undefined): ModuleStatus => {
  const { message: _, ...known } = status ?? { name, channel }
  return {
    ...known,
    state: manifest ? stateOf(manifest) : 'Deleting',
    maintenance: false,
    ...(manifest && { manifest: tracked(manifest), ...messageOf(manifest) }),
  }
}

/** A module with a fault keeps its last known version, so that it never goes back to a lower version. */
const withFault = (view: ModuleView, fault: ModuleFault): ModuleStatus => {
  const { name, channel, status, manifest } = view
  const { state, removes, waitsForWindow = false } = meaningOf(fault)
  const known = removes || !status ? { name, channel } : status
  return {
    ...known,
    ...(manifest && !removes && { manifest: tracked(manifest) }),
    state: state ?? (manifest ? stateOf(manifest) : (status?.state ?? 'Processing')),
    message: fault.text,
    maintenance: waitsForWindow,
  }
}

type Installed = { readonly module: DefinedModule; readonly manifest: Manifest }

const installed = ({ name, channel }: ModuleView, { module, manifest }: Installed): ModuleStatus => {
  const { component } = module.descriptor
  const { version = '' } = manifest.spec
  const resource = resourceOf(module, manifest)
  return {
    name,
    channel: manifest.metadata.labels?.[labels.channel] ?? channel,
    version,
    state: stateOf(manifest),
    fqdn: component,
    ocmComponentName: component,
    maintenance: false,
    ...messageOf(manifest),
    manifest: tracked(manifest),
    template: tracked(module.template),
    ...(resource && { resource }),
  }
}

/** The state in the Manifest's status. A status for an older generation does not count. */
const stateOf = (manifest: Manifest): ModuleState => {
  if (isDeleting(manifest)) return 'Deleting'
  const { state, conditions = [] } = manifest.status ?? {}
  const { generation = 0 } = manifest.metadata
  return conditions.some(({ observedGeneration = generation }) => observedGeneration < generation)
    ? 'Processing'
    : state || 'Processing'
}

const messageOf = (manifest: Manifest): Pick<ModuleStatus, 'message'> => {
  const message = manifest.status?.lastOperation?.operation
  const isTrouble = ['Error', 'Warning'].includes(stateOf(manifest))
  return isTrouble && message ? { message } : {}
}

const tracked = ({ apiVersion, kind, metadata }: KubeObject): NonNullable<ModuleStatus['manifest']> => {
  const { name, namespace = '', generation } = metadata
  return { apiVersion, kind, metadata: { name, namespace, ...(generation !== undefined && { generation }) } }
}

const resourceOf = ({ template }: DefinedModule, { spec }: Manifest): ModuleStatus['resource'] => {
  const resource = spec.resource as KubeObject | undefined | null
  if (!resource || spec.customResourcePolicy === 'Ignore') return undefined
  const { apiVersion, kind, metadata } = resource
  const isClusterScoped = template.metadata.annotations?.[annotations.isClusterScoped] === 'true'
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name, namespace: isClusterScoped ? '' : (metadata.namespace ?? '') },
  }
}
