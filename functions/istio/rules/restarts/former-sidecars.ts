// Which Pods still have a sidecar of a mesh that was removed. The sidecar's istiod is gone; after a restart the Pod has no sidecar.
import { mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { isAlive } from '../pods.ts'
import type { Stale } from './stale-pod.ts'

const sidecar = 'istio-proxy'

/** A gateway's Pod has only the proxy: without it, nothing would be left of it. */
export const formerSidecar = (pod: KubeObject): Stale | undefined => {
  const { containers, initContainers } = mapOrEmpty(pod.spec)
  const [names, initNames] = [containers, initContainers].map(list => mapsIn(list).map(({ name }) => name))
  const hasSidecar = [...(names ?? []), ...(initNames ?? [])].includes(sidecar)
  const isGateway = names?.every(name => name === sidecar)
  return hasSidecar && !isGateway && isAlive(pod) ? { cause: 'removal' } : undefined
}
