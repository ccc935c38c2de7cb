// Which Pods keep a sidecar of a mesh that was removed. Nobody answers it any more, and a new Pod gets none.
import { mapOrEmpty, mapsIn } from '../../../../shared/core/json.ts'
import type { KubeObject } from '../../../../shared/core/object.ts'
import { isAlive } from '../pods.ts'
import type { Stale } from './stale-pod.ts'

const sidecar = 'istio-proxy'

/** A gateway is nothing but a proxy: it would not be a gateway without. */
export const formerSidecar = (pod: KubeObject): Stale | undefined => {
  const { containers, initContainers } = mapOrEmpty(pod.spec)
  const [names, initNames] = [containers, initContainers].map(list => mapsIn(list).map(({ name }) => name))
  const hasSidecar = [...(names ?? []), ...(initNames ?? [])].includes(sidecar)
  const isGateway = names?.every(name => name === sidecar)
  return hasSidecar && !isGateway && isAlive(pod) ? { cause: 'removal' } : undefined
}
