// Which Istios are called because another object changed.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { type Key, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { ChangeType } from '../../../shared/runtime/definition.ts'
import { oldestIstio } from '../rules/checks.ts'

/** Kinds whose changes call every Istio: their content is about the mesh, not about one Istio. */
const kindsOfAll = ['ConfigMap', 'EnvoyFilter']

const ownNamespaces: readonly string[] = Object.values(istioNames.namespaces)

/**
 * When an Istio is gone, another one may now be the oldest, so all are called. A change of another object of the module calls the oldest;
 * in a namespace of somebody else, where anybody can write the module's label, it calls none.
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
