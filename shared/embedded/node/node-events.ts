// Events of controllers and node: their contents, with the messages of the controller manager, the scheduler and the kubelet, and limits
// for similar Events. As in Kubernetes' clients, the state of the limits is in memory; if it is lost, some more Events are written.
import { type Rates, rates } from '../../core/bounds/rates.ts'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Condition } from '../conditions.ts'

export type EventContent = {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  readonly fieldPath?: string
  readonly action?: string
  /** True for one Event that replaces many similar Events. This Event has only the latest message. */
  readonly isCombined?: true
}

const normal = (reason: string, message: string): EventContent => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): EventContent => ({ type: 'Warning', reason, message })

const nameOf = ({ metadata }: KubeObject): string => metadata.name
const pathOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`

export const podCreated = (pod: KubeObject): EventContent => normal('SuccessfulCreate', `Created pod: ${nameOf(pod)}`)
export const podDeleted = (pod: KubeObject): EventContent => normal('SuccessfulDelete', `Deleted pod: ${nameOf(pod)}`)
export const podRefused = (why: string): EventContent => warning('FailedCreate', `Error creating: ${why}`)

export const scaled = (set: string, from: number, to: number): EventContent =>
  normal('ScalingReplicaSet', `Scaled ${from < to ? 'up' : 'down'} replica set ${set} from ${from} to ${to}`)

export type Member = { readonly set: KubeObject; readonly pod: string }

export const memberCreated = ({ set, pod }: Member): EventContent =>
  normal('SuccessfulCreate', `Create Pod ${pod} in StatefulSet ${nameOf(set)} successful`)
export const memberDeleted = ({ set, pod }: Member): EventContent =>
  normal('SuccessfulDelete', `Delete Pod ${pod} in StatefulSet ${nameOf(set)} successful`)
export const memberRefused = ({ set, pod }: Member, why: string): EventContent =>
  warning('FailedCreate', `Create Pod ${pod} in StatefulSet ${nameOf(set)} failed error: ${why}`)
export const claimCreated = ({ set, pod }: Member, claim: string): EventContent =>
  normal('SuccessfulCreate', `Create Claim ${claim} Pod ${pod} in StatefulSet ${nameOf(set)} success`)

export const jobTurned = ({ type, status, reason = '', message = '' }: Condition): EventContent[] => {
  if (type === 'Complete') return [normal('Completed', 'Job completed')]
  if (type === 'Failed') return [warning(reason, message)]
  if (type !== 'Suspended') return []
  return [status === 'True' ? normal('Suspended', 'Job suspended') : normal('Resumed', 'Job resumed')]
}

export const jobCreated = (job: string): EventContent => normal('SuccessfulCreate', `Created job ${job}`)
export const jobDeleted = (job: KubeObject): EventContent => normal('SuccessfulDelete', `Deleted job ${nameOf(job)}`)
export const jobSeenEnded = (job: KubeObject, condition: string): EventContent =>
  normal('SawCompletedJob', `Saw completed job: ${nameOf(job)}, condition: ${condition}`)

export const podScheduled = (pod: KubeObject, node: string): EventContent => ({
  ...normal('Scheduled', `Successfully assigned ${pathOf(pod)} to ${node}`),
  action: 'Binding',
})
export const podNotScheduled = (message: string): EventContent => ({
  ...warning('FailedScheduling', message),
  action: 'Scheduling',
})

export type Container = { readonly name: string; readonly image: string; readonly fieldPath: string }

export const containerStarted = ({ image, fieldPath }: Container): EventContent[] =>
  [
    normal('Pulled', `Container image "${image}" already present on machine and can be accessed by the pod`),
    normal('Created', 'Container created'),
    normal('Started', 'Container started'),
  ].map(content => ({ ...content, fieldPath }))

export const containerStopping = ({ name, fieldPath }: Container): EventContent => ({
  ...normal('Killing', `Stopping container ${name}`),
  fieldPath,
})
export const containerUnready = ({ fieldPath }: Container): EventContent => ({
  ...warning('Unhealthy', 'Readiness probe failed: the Pod has the annotation node.espalier/behaviour=hang'),
  fieldPath,
})
export const containerBackOff = ({ metadata }: KubeObject, { name, fieldPath }: Container): EventContent => {
  const pod = `${metadata.name}_${metadata.namespace}(${metadata.uid})`
  return { ...warning('BackOff', `Back-off restarting failed container ${name} in pod ${pod}`), fieldPath }
}

/** The Event of a container that needs a missing Secret or ConfigMap. */
export const containerMisconfigured = (name: string, message: string): EventContent => ({
  ...warning('Failed', `Error: ${message}`),
  fieldPath: `spec.containers{${name}}`,
})

const mostAlone = 10
const similarMilliseconds = 600_000
/** The rate: 25 Events at once, then one Event every five minutes. */
const rate = { perSecond: 1 / 300, burst: 25 }
const mostKept = 4096

type Similar = { at: number; readonly messages: Set<string> }

/** Of many similar Events only the first Events are written separately. An object that changes all the time gets few Events. */
export class EventFlow {
  readonly #similar = new BoundedCache<string, Similar>(mostKept)
  readonly #now: () => number
  readonly #rates: Rates

  /** `now`: a monotonic time in milliseconds. */
  constructor(now = (): number => performance.now()) {
    this.#now = now
    this.#rates = rates(rate, now)
  }

  /** The content to record, perhaps combined with similar Events; undefined if no Event must be recorded. */
  passed(uid: string, content: EventContent): EventContent | undefined {
    const combined = this.#combined(uid, content)
    return this.#rates(`${uid} ${content.type}`) === undefined ? combined : undefined
  }

  #combined(uid: string, content: EventContent): EventContent {
    const now = this.#now()
    const key = `${uid} ${content.type} ${content.reason}`
    const known = this.#similar.get(key)
    const similar = known && now - known.at <= similarMilliseconds ? known : { at: now, messages: new Set<string>() }
    similar.at = now
    this.#similar.set(key, similar)
    if (similar.messages.has(content.message)) return content
    if (similar.messages.size + 1 >= mostAlone) return combined(content)
    similar.messages.add(content.message)
    return content
  }
}

const combined = (content: EventContent): EventContent => ({
  ...content,
  message: `(combined from similar events): ${content.message}`,
  isCombined: true,
})
