// The health of the agent in a runtime, derived from its Deployment and its Pods.
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** `broken`: the Pods do not run, and a user must find out why. */
type AgentHealth = { readonly is: 'ready' | 'starting' } | { readonly is: 'broken'; readonly why: string }

/** One ready replica is enough. */
export const agentHealth = (deployment: KubeObject | undefined, pods: readonly KubeObject[]): AgentHealth => {
  const { readyReplicas } = mapOrEmpty(deployment?.status)
  if (typeof readyReplicas === 'number' && readyReplicas > 0) return { is: 'ready' }
  const [why] = pods.flatMap(faultsOf)
  return why === undefined ? { is: 'starting' } : { is: 'broken', why }
}

/** Reasons of waiting containers that only a user can fix. */
const hopeless = [
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'CreateContainerConfigError',
]

const faultsOf = ({ metadata, status }: KubeObject): string[] => {
  const { initContainerStatuses, containerStatuses } = mapOrEmpty(status)
  return [initContainerStatuses, containerStatuses].flatMap(mapsIn).flatMap(({ state }) => {
    const { reason } = mapOrEmpty(mapOrEmpty(state).waiting)
    return hopeless.some(word => word === reason) ? [`Pod ${metadata.name}: ${reason}`] : []
  })
}
