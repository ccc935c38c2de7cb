// Facts about namespaces of dependents. Namespaces that are dependents are read like other dependents. All other namespaces are read before
// an object is created in them.
import { isDeleting, type KubeObject } from '../../core/objects/object.ts'
import { skewSeconds } from '../../core/time/kube-time.ts'
import { itemKey } from '../inventory/item.ts'
import type { ObservedCluster } from '../world.ts'

export const lacksNamespace = ({ namespaces }: ObservedCluster, name: string): boolean =>
  namespaces.has(name) && namespaces.get(name) === undefined

/** Whether the namespace was deleted after the last write to an object in it. Call only for missing objects. */
export const isEmptiedSince = ({ namespaces, live }: ObservedCluster, name: string, written: string): boolean => {
  const found = namespaces.get(name) ?? live.get(itemKey({ group: '', kind: 'Namespace', namespace: '', name }))
  return found === undefined || isDeleting(found) || isMadeAfter(found, written)
}

const isMadeAfter = ({ metadata: { creationTimestamp = '' } }: KubeObject, time: string): boolean =>
  Date.parse(creationTimestamp) > Date.parse(time) + skewSeconds * 1000
