// What controllers and the node tell people, in the words of the controller manager, the scheduler and the kubelet: one
// row for each. Pure; who it is about and when is the recorder's.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Condition } from './conditions.ts'

export type Happening = {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** The part of the object that it is about. */
  readonly fieldPath?: string
  /** What was being done: told by those who use the newer form of events. */
  readonly action?: string
  /** One of many similar ones: only the last is worth its words. */
  readonly isCombined?: true
}

const normal = (reason: string, message: string): Happening => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): Happening => ({ type: 'Warning', reason, message })

const nameOf = ({ metadata }: KubeObject): string => metadata.name
const pathOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`

export const podCreated = (pod: KubeObject): Happening => normal('SuccessfulCreate', `Created pod: ${nameOf(pod)}`)
export const podDeleted = (pod: KubeObject): Happening => normal('SuccessfulDelete', `Deleted pod: ${nameOf(pod)}`)
export const podRefused = (why: string): Happening => warning('FailedCreate', `Error creating: ${why}`)

export const scaled = (set: string, from: number, to: number): Happening =>
  normal('ScalingReplicaSet', `Scaled ${from < to ? 'up' : 'down'} replica set ${set} from ${from} to ${to}`)

/** A Pod of a StatefulSet. */
export type Member = { readonly set: KubeObject; readonly pod: string }

export const memberCreated = ({ set, pod }: Member): Happening =>
  normal('SuccessfulCreate', `Create Pod ${pod} in StatefulSet ${nameOf(set)} successful`)
export const memberDeleted = ({ set, pod }: Member): Happening =>
  normal('SuccessfulDelete', `Delete Pod ${pod} in StatefulSet ${nameOf(set)} successful`)
export const memberRefused = ({ set, pod }: Member, why: string): Happening =>
  warning('FailedCreate', `Create Pod ${pod} in StatefulSet ${nameOf(set)} failed error: ${why}`)
export const claimCreated = ({ set, pod }: Member, claim: string): Happening =>
  normal('SuccessfulCreate', `Create Claim ${claim} Pod ${pod} in StatefulSet ${nameOf(set)} success`)

/** By the type of the condition that a Job came to have. */
export const jobTurned = ({ type, status, reason = '', message = '' }: Condition): Happening[] => {
  if (type === 'Complete') return [normal('Completed', 'Job completed')]
  if (type === 'Failed') return [warning(reason, message)]
  if (type !== 'Suspended') return []
  return [status === 'True' ? normal('Suspended', 'Job suspended') : normal('Resumed', 'Job resumed')]
}

export const jobCreated = (job: string): Happening => normal('SuccessfulCreate', `Created job ${job}`)
export const jobDeleted = (job: KubeObject): Happening => normal('SuccessfulDelete', `Deleted job ${nameOf(job)}`)
export const jobSeenEnded = (job: KubeObject, condition: string): Happening =>
  normal('SawCompletedJob', `Saw completed job: ${nameOf(job)}, condition: ${condition}`)

export const podScheduled = (pod: KubeObject, node: string): Happening => ({
  ...normal('Scheduled', `Successfully assigned ${pathOf(pod)} to ${node}`),
  action: 'Binding',
})
export const podNotScheduled = (message: string): Happening => ({
  ...warning('FailedScheduling', message),
  action: 'Scheduling',
})

export type Container = { readonly name: string; readonly image: string; readonly fieldPath: string }

export const containerStarted = ({ image, fieldPath }: Container): Happening[] =>
  [
    normal('Pulled', `Container image "${image}" already present on machine and can be accessed by the pod`),
    normal('Created', 'Container created'),
    normal('Started', 'Container started'),
  ].map(happening => ({ ...happening, fieldPath }))

export const containerStopping = ({ name, fieldPath }: Container): Happening => ({
  ...normal('Killing', `Stopping container ${name}`),
  fieldPath,
})
export const containerUnready = ({ fieldPath }: Container): Happening => ({
  ...warning('Unhealthy', 'Readiness probe failed: the node was told that it hangs'),
  fieldPath,
})
export const containerBackOff = (pod: KubeObject, { name, fieldPath }: Container): Happening => ({
  ...warning(
    'BackOff',
    `Back-off restarting failed container ${name} in pod ${nameOf(pod)}_${pod.metadata.namespace}(${pod.metadata.uid})`,
  ),
  fieldPath,
})
