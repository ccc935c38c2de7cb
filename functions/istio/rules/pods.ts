// Which Pods count: those that run or will run.
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'

/** Neither in deletion nor finished. An evicted Pod stays as a failed one, often for weeks. */
export const isAlive = (pod: KubeObject): boolean =>
  !isDeleting(pod) && !['Succeeded', 'Failed'].includes(String(mapOrEmpty(pod.status).phase))
