// Who says how many replicas a Deployment has that an autoscaler scales: we until the autoscaler has, and the autoscaler from then on.
import { isMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { findObject } from '../../rules/objects.ts'
import type { World } from '../../world.ts'
import { namespace } from '../parts/names.ts'

/** What to apply; undefined where they are somebody else's. */
export const appliedReplicas = (
  { runtime }: World,
  { name, least }: { readonly name: string; readonly least: number },
): number | undefined => {
  const live = findObject(runtime, { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name })
  if (live && isScaledByOthers(live)) return
  return Math.max(Number(mapOrEmpty(live?.spec).replicas ?? 0), least)
}

/** An apply without them would reset them if nobody else owned them. */
const isScaledByOthers = ({ metadata: { managedFields = [] } }: KubeObject): boolean =>
  managedFields
    .filter(isMap)
    .some(
      ({ manager, fieldsV1 }) =>
        manager !== 'garden-reconcile' && mapOrEmpty(mapOrEmpty(fieldsV1)['f:spec'])['f:replicas'] !== undefined,
    )
