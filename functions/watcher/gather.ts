// Reads for the watcher function, with concurrent requests. Without Istio, there are neither Gateways nor VirtualServices.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { watcherKind } from '../../shared/api/kyma.ts'
import { matchesLabels, structuredSelector } from '../../shared/core/objects/label-selector.ts'
import { type Key, type KubeObject, keyOf, keyText } from '../../shared/core/objects/object.ts'
import { getIfServed, listIfServed } from '../../shared/kube/reading.ts'
import type { Watcher } from '../../shared/kyma/kinds.ts'
import { watcherFault } from '../../shared/kyma/watcher-fault.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { virtualServiceKind } from './desired/virtual-service.ts'
import type { WatcherSettings } from './settings.ts'
import type { Gateway, World } from './world.ts'

const gatewayKind = { apiVersion: 'networking.istio.io/v1', kind: 'Gateway' } as const

type Context = Pick<GatherContext<WatcherSettings>, 'reads' | 'settings'>

export const gather = async (object: KubeObject, { reads, settings }: Context): Promise<World> => {
  const watcher = object as Watcher
  const [gateways, virtualService] = await Promise.all([
    watcherFault(watcher) === undefined ? selectedGateways(watcher, { reads, settings }) : undefined,
    getIfServed(reads, { ...virtualServiceKind, ...keyOf(watcher) }),
  ])
  return { watcher, settings, gateways, virtualService }
}

/** Sorted, so that the same Gateways always result in the same VirtualService. */
const selectedGateways = async (
  { spec }: Watcher,
  { reads, settings }: Context,
): Promise<readonly Gateway[] | undefined> => {
  const namespace = settings.gatewayNamespace
  const wanted = structuredSelector(spec.gateway.selector)
  const keep = (gateway: KubeObject) => (wanted && matchesLabels(wanted, gateway.metadata.labels) ? gateway : undefined)
  const found = await listIfServed(reads, { ...gatewayKind, namespace, keep })
  return found?.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
}

const placeOf = (gateway: KubeObject): string => keyText(keyOf(gateway))

/** All Watchers, because any Watcher may depend on a Gateway or on a definition of Istio's kinds. */
export const allWatchers = async (_: KubeObject, { reads }: Pick<GatherContext, 'reads'>): Promise<Key[]> =>
  (await reads.list({ ...watchers, metadataOnly: true, fromCache: true })).map(keyOf)

const watchers = { ...watcherKind, namespace: kymaNames.namespaces.controlPlane }
