// Reads for runtime-events: the Kyma of a runtime, its Manifests, and the names under which Watchers listen. An answer that is some
// moments old does no harm, since an event only leads to a call.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { RuntimeEvent } from '../../shared/api/kyma/runtime-event.ts'
import { kymaKind, manifestKind, watcherKind } from '../../shared/api/kyma.ts'
import { isLabelValue } from '../../shared/core/label.ts'
import type { KubeObject } from '../../shared/core/object.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import type { Kyma, Manifest, Watcher } from '../../shared/kyma/kinds.ts'
import { watcherManager } from '../../shared/kyma/watcher-manager.ts'
import { isAboutKyma } from './decide.ts'
import type { World } from './world.ts'

type Reading = { readonly reads: Reads }

const { labels, namespaces } = kymaNames
const place = { namespace: namespaces.controlPlane, fromCache: true }

/** The Kyma with that runtime-id, or one without the label that has the name. undefined: there is none, or there are two. */
export const kymaOf = async (commonName: string, { reads }: Reading): Promise<Kyma | undefined> => {
  if (!isLabelValue(commonName)) return undefined
  const [labelled, named] = await Promise.all([
    reads.list({ ...kymaKind, ...place, labelSelector: `${labels.runtimeId}=${commonName}`, metadataOnly: true }),
    reads.list({ ...kymaKind, ...place, fieldSelector: `metadata.name=${commonName}`, metadataOnly: true }),
  ])
  const [kyma, ...others] = [...labelled, ...named.filter(hasNoRuntimeId)]
  return others.length === 0 ? (kyma as Kyma | undefined) : undefined
}

const hasNoRuntimeId = ({ metadata }: KubeObject): boolean => !metadata.labels?.[labels.runtimeId]

/** Whether a Watcher listens under this name. */
export const isListening = async (name: string, { reads }: Reading): Promise<boolean> => {
  const watchers = (await reads.list({ ...watcherKind, ...place })) as Watcher[]
  return watchers.some(watcher => watcherManager(watcher) === name)
}

export const gather = async (event: RuntimeEvent, kyma: Kyma, { reads }: Reading): Promise<World> => ({
  event,
  kyma,
  manifests: isAboutKyma(event) ? [] : await manifestsOf(kyma, reads),
})

const manifestsOf = async ({ metadata: { name } }: Kyma, reads: Reads): Promise<Manifest[]> =>
  (await reads.list({
    ...{ ...manifestKind, ...place, labelSelector: `${labels.kymaName}=${name}` },
    keep: withoutLayers,
  })) as Manifest[]

/** What a Manifest installs is of no use here. */
const withoutLayers = ({ apiVersion, kind, metadata, spec, status }: KubeObject): KubeObject => ({
  ...{ apiVersion, kind, metadata, status },
  spec: { resource: (spec as { resource?: unknown } | undefined)?.resource },
})
