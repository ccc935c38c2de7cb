// An Etcd with the annotation that makes etcd-druid reconcile it. etcd-druid removes the annotation when the reconciliation starts. The
// annotation is therefore set only for a spec that differs from the spec in the cluster. A present annotation stays.
import { etcdKind } from '../../../../shared/api/garden/kinds.ts'
import { operationAnnotation } from '../../../../shared/api/garden/operations.ts'
import { isMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import { isApplied } from '../../../../shared/core/objects/applied.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { findObject } from '../../rules/objects.ts'
import type { World } from '../../world.ts'
import { namespace } from '../parts/names.ts'

const timestamp = 'gardener.cloud/timestamp'

export const requested = (world: World, wanted: KubeObject): KubeObject => {
  const live = liveEtcd(world, wanted.metadata.name)
  const annotations = live && holdsSpec(live, wanted) ? keptRequest(live) : request(world)
  return { ...wanted, metadata: { ...wanted.metadata, annotations } }
}

export const liveEtcd = (world: World, name: string): KubeObject | undefined =>
  findObject(world.runtime, { ...etcdKind, namespace, name })

/** The time of the Garden's operation, so that all calls use the same value. */
const request = ({ garden }: World): Record<string, string> => ({
  [operationAnnotation]: 'reconcile',
  [timestamp]: garden.status?.lastOperation?.lastUpdateTime ?? garden.metadata.creationTimestamp ?? '',
})

const keptRequest = ({ metadata: { annotations = {} } }: KubeObject): Record<string, string> =>
  Object.fromEntries(
    [operationAnnotation, timestamp].flatMap(key => (annotations[key] ? [[key, annotations[key]]] : [])),
  )

/** Whether applying the spec alone would change nothing. */
const holdsSpec = (live: KubeObject, { apiVersion, kind, metadata: { name }, spec }: KubeObject): boolean => {
  const managedFields = (live.metadata.managedFields ?? []).filter(isMap).map(entry => {
    const { 'f:spec': owned } = mapOrEmpty(entry.fieldsV1)
    return { ...entry, fieldsV1: owned === undefined ? {} : { 'f:spec': owned } }
  })
  const seen = { ...live, metadata: { ...live.metadata, managedFields } }
  return isApplied({ apiVersion, kind, metadata: { name }, spec }, seen, 'garden-reconcile')
}
