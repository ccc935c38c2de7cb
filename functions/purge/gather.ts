// Reads for purge. The runtime is read only when the deletion is stuck. Only metadata is read, because only finalizers are needed.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind, moduleTemplateKind } from '../../shared/api/kyma.ts'
import type { Reading } from '../../shared/core/decisions/reading.ts'
import { type GroupVersionKind, type KubeObject, keyOf, type ObjectRef } from '../../shared/core/objects/object.ts'
import { atOnce } from '../../shared/kube/at-once.ts'
import type { ReadClient, Reads } from '../../shared/kube/client-types.ts'
import { AccessError, nothingIf } from '../../shared/kube/errors.ts'
import { installedOf, listIfServed, reading } from '../../shared/kube/reading.ts'
import { type Kyma, type Manifest, type ModuleTemplate, withSpec } from '../../shared/kyma/kinds.ts'
import { isRemote, runtimeCrdNames, runtimeName } from '../../shared/kyma/kyma-runtime.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { isOwnCluster } from '../../shared/runtime/process-memory.ts'
import { copiesOfOthers } from '../../shared/runtime/rivals.ts'
import { type CustomKind, customKind, isStuck, type KymaModules, type Purged, purged } from './rules/purged.ts'
import type { PurgeSettings } from './settings.ts'
import type { Runtime, World } from './world.ts'

type Context = Pick<GatherContext<PurgeSettings>, 'reads' | 'clusters' | 'settings' | 'memory'>

/** A limit, because the runtime's API server has other callers, too. */
const readsAtOnce = 8
/** A small page, because definitions are large. */
const definitionsPerPage = 50

export const gather = async (object: KubeObject, context: Context, { now }: { now: () => Date }): Promise<World> => {
  const kyma = withSpec<Kyma>(object)
  const { settings } = context
  if (!isStuck(kyma, settings, now())) return { kyma, settings, runtime: { is: 'unasked' } }
  const runtime = await reading(runtimeOf(kyma, context))
  return { kyma, settings, runtime: 'failed' in runtime ? { is: 'unreadable', because: runtime.failed } : runtime.read }
}

const runtimeOf = async (kyma: Kyma, context: Context): Promise<Runtime> => {
  if (!isRemote(kyma)) return spared("the modules are in the control plane's own cluster")
  const client = await reached(kyma, context)
  if (!client) return spared('the access Secret no longer exists')
  const [isOwn, isShared] = await Promise.all([isOwnCluster(client, context), hasOtherCopy(client, kyma, context)])
  if (isOwn) return spared("the runtime is the control plane's own cluster")
  if (isShared) return spared('the runtime also belongs to another Kyma')
  const [served, modules] = await Promise.all([customKinds(client), modulesOf(kyma, context)])
  return { is: 'read', ...(await leftIn(client, purged(served, modules, context.settings))) }
}

const spared = (because: string): Runtime => ({ is: 'spared', because })

/** undefined: the access Secret is missing. Rejects if the access Secret cannot be used. */
const reached = async (kyma: Kyma, { clusters }: Context): Promise<ReadClient | undefined> =>
  clusters.of(runtimeName(kyma.metadata.name)).catch(nothingIf(isAccessMissing))

const isAccessMissing = (error: unknown): boolean => error instanceof AccessError && error.reason === 'Missing'

const hasOtherCopy = async (client: ReadClient, kyma: Kyma, context: Context): Promise<boolean> => {
  const copies = await listIfServed(client, { ...kymaKind, metadataOnly: true })
  if (copies === undefined && (await hasKymas(client))) throw new Error('the runtime does not serve the kind Kyma')
  return (await copiesOfOthers(copies ?? [], keyOf(kyma), { ...context, client })).length > 0
}

/** Whether the definition of Kymas exists. The owner of the runtime may have edited it so that Kymas are not served. */
const hasKymas = async (client: ReadClient): Promise<boolean> =>
  (await installedOf(client, [runtimeCrdNames.kymas])).length > 0

const customKinds = async (client: ReadClient): Promise<CustomKind[]> => {
  const definitions = await client.list({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    pageSize: definitionsPerPage,
  })
  return definitions.map(customKind)
}

const modulesOf = async (kyma: Kyma, { reads }: { reads: Reads }): Promise<KymaModules> => {
  const { name, namespace } = kyma.metadata
  const labelSelector = `${kymaNames.labels.kymaName}=${name}`
  const [manifests, templates] = await Promise.all([
    reads.list({ ...manifestKind, namespace, labelSelector }),
    reads.list({ ...moduleTemplateKind, namespace }),
  ])
  return { kyma, manifests: manifests.map(withSpec<Manifest>), templates: templates.map(withSpec<ModuleTemplate>) }
}

/** Objects with finalizers, up to the limit of a pass, and the kinds and objects that could not be read. */
const leftIn = async (client: ReadClient, { kinds, objects }: Purged) => {
  const room: Room = { left: heldMost, hasMore: false }
  const lists = kinds.map(kind => () => named(textOf(kind), heldOfKind(client, kind, room)))
  const gets = objects.map(ref => () => named(textOf(ref), heldObject(client, ref)))
  const found = await atOnce([...lists, ...gets], readsAtOnce)
  return {
    left: found.flatMap(one => ('read' in one ? [one.read] : [])),
    unread: found.flatMap(one => ('failed' in one ? [one.failed] : [])),
    hasMore: room.hasMore,
  }
}

/** A limit, because the owner of the runtime may create any number of kinds and objects. */
const heldMost = 20_000

/** How many more objects the pass may keep, and whether more objects exist. */
type Room = { left: number; hasMore: boolean }

const textOf = ({ apiVersion, kind }: GroupVersionKind): string => `${kind} of ${apiVersion}`

const named = async <T>(what: string, read: Promise<T>): Promise<Reading<T>> => {
  const result = await reading(read)
  return 'failed' in result ? { failed: `${what}: ${result.failed}` } : result
}

const heldOfKind = async (client: ReadClient, kind: GroupVersionKind, room: Room): Promise<KubeObject[]> => {
  const held: KubeObject[] = []
  const keep = (object: KubeObject) => (isHeld(object) ? withoutNotes(object) : undefined)
  for await (const { objects } of client.pages({ ...kind, metadataOnly: true, keep })) {
    const taken = objects.slice(0, room.left)
    room.left -= taken.length
    held.push(...taken)
    if (taken.length === objects.length) continue
    room.hasMore = true
    break
  }
  return held
}

const heldObject = async (client: ReadClient, ref: ObjectRef): Promise<KubeObject[]> => {
  const object = await client.get(ref, { metadataOnly: true })
  return object && isHeld(object) ? [object] : []
}

const isHeld = ({ metadata }: KubeObject): boolean => (metadata.finalizers?.length ?? 0) > 0

/** Keeps only the fields that a write needs, because annotations alone may have 256 KiB. */
const withoutNotes = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
  const { name, namespace, uid, resourceVersion, finalizers = [] } = metadata
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, finalizers: finalizers.slice(0, 1) } }
}
