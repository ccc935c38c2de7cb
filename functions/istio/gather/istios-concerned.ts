// Which Istios are to be called because something else changed.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { type Key, type KubeObject, keyOf } from '../../../shared/core/object.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import type { ChangeType } from '../../../shared/runtime/definition.ts'
import { oldestIstio } from '../rules/checks.ts'

/** Kinds that concern every Istio: what they say counts for the mesh, whoever is asked about it. */
const ofAll = ['ConfigMap', 'EnvoyFilter']

/** An Istio that is gone makes room for others; what carries the label of the module concerns the one that counts. */
export const istiosConcerned = async (
  object: KubeObject,
  { reads }: GatherContext,
  change: ChangeType,
): Promise<Key[]> => {
  const isIstio = object.kind === istioKind.kind
  if (isIstio && change !== 'DELETED') return []
  const istios = await reads.list({ ...istioKind, metadataOnly: true })
  if (isIstio || ofAll.includes(object.kind)) return istios.map(keyOf)
  const candidates = istios.filter(({ metadata }) => metadata.namespace === istioNames.namespaces.control)
  return candidates.length === 0 ? [] : [keyOf(oldestIstio(candidates))]
}
