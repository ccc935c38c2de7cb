// Maps a changed object to the Istios to call.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { type Key, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { ChangeType } from '../../../shared/runtime/definition.ts'
import { oldestIstio } from '../rules/checks.ts'

/** A change of an object of these kinds concerns the mesh, so all Istios are called. */
const kindsOfAll = ['ConfigMap', 'EnvoyFilter']

const ownNamespaces: readonly string[] = Object.values(istioNames.namespaces)

/**
 * After the deletion of an Istio, all Istios are called, because another Istio may now be the oldest. A change of an object with the
 * module's label calls the oldest Istio, but only in our namespaces: elsewhere any user can set the label.
 */
export const istiosConcerned = async (
  object: KubeObject,
  { reads }: GatherContext,
  change: ChangeType,
): Promise<Key[]> => {
  const isIstio = object.kind === istioKind.kind
  if (isIstio ? change !== 'DELETED' : !ownNamespaces.includes(object.metadata.namespace ?? '')) return []
  const istios = await reads.list({ ...istioKind, metadataOnly: true })
  if (isIstio || kindsOfAll.includes(object.kind)) return istios.map(keyOf)
  const candidates = istios.filter(({ metadata }) => metadata.namespace === istioNames.namespaces.control)
  return candidates.length === 0 ? [] : [keyOf(oldestIstio(candidates))]
}
