// Maps a changed object to the Istios to call.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { type Key, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { ChangeType } from '../../../shared/runtime/definition.ts'
import { oldestIstio } from '../rules/checks.ts'

/** Changes of these kinds call all Istios, because they concern the mesh. */
const kindsOfAll = ['ConfigMap', 'EnvoyFilter']

const ownNamespaces: readonly string[] = Object.values(istioNames.namespaces)

/**
 * A deleted Istio calls all Istios, because another one may now be the oldest. Other objects of the module call the oldest Istio if they
 * are in our namespaces. In other namespaces anybody can set the module's label, so they call none.
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
