// The stand-in scheduler and kubelet: assigns Pods to the only node, and changes their status step by step. A step only depends on the Pod,
// and on the time since the step began. If this time is lost, the step takes longer.
import { conditionOf } from '../../core/objects/condition.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { authenticated } from '../identity/user.ts'
import { matchesLabels, structuredSelector } from '../storage/selectors.ts'
import type { Change, Store } from '../storage/store.ts'
import { fieldsAt, isMap, type JsonMap, listAt, mapsAt, numberAt, textAt } from '../value.ts'
import { behaviourOf, nodeAddress, nodeName, pauseMilliseconds } from './behaviour.ts'
import { controllerOf } from './claims.ts'
import type { Context, Controller } from './controller.ts'
import type { Worker } from './controller-worker.ts'
import { containerMisconfigured, podNotScheduled, podScheduled } from './node-events.ts'
import { type ConfigFaults, configFaults, type Doing, podEvents, podStatus } from './pod-status.ts'
import { hasLabels, isEnded, isEnding, isReady } from './workloads/own-pods.ts'

const schedulerWorker: Worker = {
  manager: 'kube-scheduler',
  component: 'default-scheduler',
  user: authenticated({ name: 'system:kube-scheduler', groups: [] }),
}

export const kubeletWorker: Worker = {
  manager: 'kubelet',
  component: 'kubelet',
  host: nodeName,
  user: authenticated({ name: `system:node:${nodeName}`, groups: ['system:nodes'] }),
}

export const scheduler: Controller = {
  name: 'scheduler',
  worker: schedulerWorker,
  collection: 'pods',
  concerns: {
    nodes: (_, store) => store.now('pods').keys(''),
  },
  reconcile: async (context, pod) => {
    if (textAt(pod, 'spec', 'nodeName') || isEnding(pod) || isEnded(pod)) return
    if (textAt(pod, 'spec', 'schedulerName') !== 'default-scheduler') return
    if (listAt(pod, 'spec', 'schedulingGates').length > 0) return
    await schedule(context, pod)
  },
}

const schedule = async ({ store, writes, record }: Context, pod: KubeObject): Promise<void> => {
  const node = store.get('nodes', nodeName)?.object
  if (node && fits(pod, node)) {
    await writes.bind(pod, nodeName)
    record(pod, podScheduled(pod, nodeName))
  } else if (conditionOf(pod, 'PodScheduled')?.reason !== unschedulable.reason) {
    const condition = { ...unschedulable, lastProbeTime: null, lastTransitionTime: null }
    await writes.report(pod, { ...fieldsAt(pod, 'status'), conditions: [condition] })
    record(pod, podNotScheduled(unschedulable.message))
  }
}

const unschedulable = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message: "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
}

/** Whether the Pod fits the node: node selector, required node affinity and taints. */
export const fits = (pod: KubeObject, node: KubeObject): boolean =>
  hasLabels(node, fieldsAt(pod, 'spec', 'nodeSelector')) && isLiked(pod, node) && isTolerated(pod, node)

const isLiked = (pod: KubeObject, node: KubeObject): boolean => {
  const path = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms']
  const terms = listAt(pod, 'spec', ...path)
  return terms.length === 0 || terms.some(term => matchesTerm(term, node))
}

const matchesTerm = (term: unknown, { metadata }: KubeObject): boolean => {
  const labels = structuredSelector({ matchExpressions: listAt(term, 'matchExpressions') }) ?? []
  const fields = structuredSelector({ matchExpressions: listAt(term, 'matchFields') }) ?? []
  return matchesLabels(labels, metadata.labels) && matchesLabels(fields, { 'metadata.name': metadata.name })
}

const isTolerated = (pod: KubeObject, node: KubeObject): boolean => {
  const tolerations = mapsAt(pod, 'spec', 'tolerations')
  return mapsAt(node, 'spec', 'taints')
    .filter(({ effect }) => effect !== 'PreferNoSchedule')
    .every(taint => tolerations.some(each => tolerates(each, taint)))
}

const tolerates = (toleration: JsonMap, taint: JsonMap): boolean =>
  (!toleration.key || toleration.key === taint.key) &&
  (!toleration.effect || toleration.effect === taint.effect) &&
  (toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? ''))

type Step = {
  readonly doing: Doing | 'gone'
  readonly milliseconds: number
}

/** The next step of the Pod, and the time until this step. undefined if no step follows. */
const nextStep = (pod: KubeObject, stepMilliseconds: number): Step | undefined => {
  if (isEnding(pod)) return { doing: 'gone', milliseconds: Math.min(stepMilliseconds, graceMilliseconds(pod)) }
  if (isEnded(pod)) return undefined
  const states = containerStates(pod)
  if (states.length === 0) return { doing: 'creating', milliseconds: 0 }
  const isFailing = states.some(state => textAt(state, 'state', 'waiting', 'reason') === 'CrashLoopBackOff')
  if (isFailing) return { doing: 'failing', milliseconds: pauseMilliseconds(stepMilliseconds, restartsOf(states)) }
  const doing = nextDoing(
    pod,
    states.every(state => isMap(fieldsAt(state, 'state')?.running)),
  )
  return doing && { doing, milliseconds: stepMilliseconds }
}

const nextDoing = (pod: KubeObject, isRunning: boolean): Doing | undefined => {
  const behaviour = behaviourOf(pod.metadata.annotations)
  const restarts = textAt(pod, 'spec', 'restartPolicy') !== 'Never'
  if (behaviour === 'crash-loop' || (behaviour === 'fail' && restarts)) return 'failing'
  if (behaviour === 'fail') return 'failed'
  if (!isRunning) return behaviour === 'hang' || hasProbe(pod) ? 'running' : 'ready'
  if (behaviour === 'hang') return undefined
  if (!isReady(pod)) return 'ready'
  return controllerOf(pod)?.kind === 'Job' ? 'succeeded' : undefined
}

const containerStates = (pod: KubeObject): JsonMap[] => mapsAt(pod, 'status', 'containerStatuses')

const restartsOf = (states: readonly JsonMap[]): number =>
  Math.max(...states.map(state => numberAt(state, ['restartCount'])))

const graceMilliseconds = ({ metadata }: KubeObject): number =>
  numberAt(metadata, ['deletionGracePeriodSeconds']) * 1000

const hasProbe = (pod: KubeObject): boolean =>
  listAt(pod, 'spec', 'containers').some(container => fieldsAt(container, 'readinessProbe') !== undefined)

/** The reasons why containers cannot start. Containers that started once are not checked again. */
const startFaults = ({ store }: Context, pod: KubeObject, { doing }: Step): ConfigFaults => {
  const isStarting = doing !== 'gone' && doing !== 'creating' && textAt(pod, 'status', 'phase') === 'Pending'
  return isStarting ? configFaults(store, pod) : new Map()
}

const areReported = (pod: KubeObject, faults: ConfigFaults): boolean => {
  const states = ['initContainerStatuses', 'containerStatuses'].flatMap(field => mapsAt(pod, 'status', field))
  return [...faults].every(([name, message]) =>
    states.some(state => state.name === name && textAt(state, 'state', 'waiting', 'message') === message),
  )
}

/** Keys of the Pods that wait for a Secret or ConfigMap of the namespace. */
const waitingPods = ({ stored }: Change, store: Store): string[] => {
  const prefix = `${stored.object.metadata.namespace}/`
  const pods = store.now('pods')
  return pods.keys(prefix).filter(key => textAt(pods.get(key)?.object, 'status', 'phase') === 'Pending')
}

type Begun = { readonly step: string; readonly at: number }

export const kubelet = (addresses: Addresses): Controller => {
  const begun = new Map<string, Begun>()
  const remaining = (pod: KubeObject, { doing, milliseconds }: Step): number => {
    const { uid = '' } = pod.metadata
    const step = `${doing} ${restartsOf([...containerStates(pod), {}])}`
    const known = begun.get(uid)
    if (known?.step !== step) begun.set(uid, { step, at: performance.now() })
    return milliseconds - (known?.step === step ? performance.now() - known.at : 0)
  }
  return {
    name: 'kubelet',
    worker: kubeletWorker,
    collection: 'pods',
    concerns: {
      pods: ({ type, stored }) => {
        if (type === 'DELETED') begun.delete(stored.object.metadata.uid ?? '')
        return []
      },
      secrets: waitingPods,
      configmaps: waitingPods,
    },
    reconcile: async (context, pod) => {
      if (textAt(pod, 'spec', 'nodeName') !== nodeName) return
      const step = nextStep(pod, context.stepMilliseconds)
      if (!step) return
      const wait = remaining(pod, step)
      if (wait > 0) {
        context.requeueAfter(wait)
        return
      }
      const faults = startFaults(context, pod, step)
      if (faults.size === 0) await take(context, pod, step, { addresses, faults })
      else if (!areReported(pod, faults))
        await take(context, pod, { ...step, doing: 'unconfigured' }, { addresses, faults })
    },
  }
}

type Means = { readonly addresses: Addresses; readonly faults: ConfigFaults }

const take = async (
  context: Context,
  pod: KubeObject,
  { doing }: Step,
  { addresses, faults }: Means,
): Promise<void> => {
  const { writes, record } = context
  if (doing === 'gone') return endPod(context, pod)
  const isPlaced = textAt(pod, 'status', 'podIP') !== '' || doing === 'creating'
  const address = isPlaced ? '' : fieldsAt(pod, 'spec')?.hostNetwork === true ? nodeAddress : addresses.next()
  await writes.report(pod, podStatus(pod, doing, { address, faults }))
  for (const [name, message] of faults) record(pod, containerMisconfigured(name, message))
  for (const content of podEvents(pod, doing)) record(pod, content)
}

/** Ends a Pod. If finalizers keep the Pod, its last Event was already recorded. */
const endPod = async ({ writes, record }: Context, pod: KubeObject): Promise<void> => {
  if (graceMilliseconds(pod) === 0 && pod.metadata.finalizers?.length) return
  await writes.remove(pod, 0)
  for (const content of podEvents(pod, 'gone')) record(pod, content)
}

const room = 4 * 65_536 - 2

/** Addresses for Pods from 10.244.0.0/14, which are not routed. Used addresses are computed from the Pods and never stored. */
export class Addresses {
  readonly #taken = new Set<string>()
  #cursor = 0

  constructor(store: Store) {
    for (const pod of store.objects('pods')) this.#taken.add(textAt(pod, 'status', 'podIP'))
    store.onChange(({ collection, type, stored }) => {
      if (collection === 'pods' && type === 'DELETED') this.#taken.delete(textAt(stored.object, 'status', 'podIP'))
    })
  }

  next(): string {
    for (let tries = 0; tries < room; tries++) {
      this.#cursor = (this.#cursor % room) + 1
      const address = `10.${244 + (this.#cursor >> 16)}.${(this.#cursor >> 8) & 255}.${this.#cursor & 255}`
      if (this.#taken.has(address)) continue
      this.#taken.add(address)
      return address
    }
    throw new Error('no IP address is free for a Pod')
  }
}
