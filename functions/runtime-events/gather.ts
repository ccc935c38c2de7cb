// Reads for runtime-events: the Kyma of a runtime, its Manifests, and the names of Watchers. Cached answers are safe, because an event only leads to
// a call. But a negative answer counts only if it was read just now.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { RuntimeEvent } from '../../shared/api/kyma/runtime-event.ts'
import { kymaKind, manifestKind, watcherKind } from '../../shared/api/kyma.ts'
import { isLabelValue } from '../../shared/core/objects/dns-name.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { HoldingManifest, Kyma, Manifest, Watcher } from '../../shared/kyma/kinds.ts'
import { watcherFault, watcherManager } from '../../shared/kyma/watcher-fault.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { holds, isAboutKyma, namesAlone } from './decide.ts'
import type { World } from './world.ts'

type Context = Pick<GatherContext, 'reads' | 'memory'>

const { labels, namespaces } = kymaNames
const place = { namespace: namespaces.controlPlane, fromCache: true }

/** The Kyma with this runtime-id, otherwise the Kyma with this name and without a runtime-id. undefined: no Kyma, or several Kymas. */
export const kymaOf = async (commonName: string, context: Context): Promise<Kyma | undefined> => {
  const known = await context.memory.runtimes.kymas.get('all', () => kymasByRuntime(context))
  return (known.get(commonName) ?? (await readKyma(commonName, context))) as Kyma | undefined
}

/** One list for all runtimes, because hundreds of runtimes may report in the same second. */
const kymasByRuntime = async ({ reads }: Context): Promise<ReadonlyMap<string, KubeObject>> => {
  const kymas = await reads.list({ ...kymaKind, ...place, metadataOnly: true, keep: nameAlone })
  const byRuntime = Map.groupBy(kymas, ({ metadata }) => metadata.labels?.[labels.runtimeId] || metadata.name)
  return new Map(
    [...byRuntime].flatMap(([runtime, [kyma, ...others]]) => (kyma && others.length === 0 ? [[runtime, kyma]] : [])),
  )
}

const nameAlone = ({ apiVersion, kind, metadata: { namespace, name, labels } }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { namespace, name, labels },
})

const readKyma = async (commonName: string, { reads }: Context): Promise<KubeObject | undefined> => {
  if (!isLabelValue(commonName)) return undefined
  const [labelled, named] = await Promise.all([
    reads.list({ ...kymaKind, ...place, labelSelector: `${labels.runtimeId}=${commonName}`, metadataOnly: true }),
    reads.list({ ...kymaKind, ...place, fieldSelector: `metadata.name=${commonName}`, metadataOnly: true }),
  ])
  const [kyma, ...others] = [...labelled, ...named.filter(hasNoRuntimeId)]
  return others.length === 0 ? kyma : undefined
}

const hasNoRuntimeId = ({ metadata }: KubeObject): boolean => !metadata.labels?.[labels.runtimeId]

/** Whether a Watcher with this name is served. A Watcher with a fault has no entry in any runtime. */
export const isListening = async (name: string, { reads, memory: { runtimes } }: Context): Promise<boolean> => {
  const found = await runtimes.listeners.get(name, async () => {
    const watchers = (await reads.list({ ...watcherKind, ...place })) as Watcher[]
    return watchers.some(watcher => watcherManager(watcher) === name && !watcherFault(watcher)) || undefined
  })
  return found === true
}

export const gather = async (event: RuntimeEvent, kyma: Kyma, context: Context): Promise<World> => ({
  event,
  kyma,
  manifests: isAboutKyma(event) ? [] : await manifestsFor(event, kyma, context),
})

/** If no known Manifest contains the object, the Manifests are read again, because the object may just have been installed. */
const manifestsFor = async (
  event: RuntimeEvent,
  kyma: Kyma,
  { reads, memory }: Context,
): Promise<readonly HoldingManifest[]> => {
  const { name } = kyma.metadata
  const { manifests } = memory.runtimes
  const labelSelector = `${labels.kymaName}=${name}`
  const query = { ...manifestKind, ...place, labelSelector, keep }
  const read = async () => (await reads.list(query)) as HoldingManifest[]
  const known = event.fullSync ? [] : await manifests.get(name, read)
  const isHeld = known.some(manifest => holds(manifest, event))
  return isHeld ? known : manifests.reload(name, read)
}

const keep = (object: KubeObject): HoldingManifest => namesAlone(object as Manifest)
