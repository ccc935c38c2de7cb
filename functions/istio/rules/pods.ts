// Which Pods count: those that run or will.
import { mapOrEmpty } from '../../../shared/core/json.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/object.ts'

/** Neither going nor over: what was evicted stays behind as a failed Pod, often for weeks. */
export const isAlive = (pod: KubeObject): boolean =>
  !isDeleting(pod) && !['Succeeded', 'Failed'].includes(String(mapOrEmpty(pod.status).phase))
