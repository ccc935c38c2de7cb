// Finds why Pods of a workload are not ready. A Deployment only reports "0 of 1 replicas are ready"; its Pods contain the reason.
import { isMap, isText, type JsonMap, mapOrEmpty, numberIn, shownText } from '../../core/json/json.ts'
import { conditionOf, isTrue } from '../../core/objects/condition.ts'
import { labelSelectorText } from '../../core/objects/label-selector.ts'
import { groupAndKind, isDeleting, type KubeObject } from '../../core/objects/object.ts'
import { excerpt } from '../../core/text/text.ts'
import { type Item, type ItemKey, itemKey } from '../item.ts'
import type { Sentence, World } from '../world.ts'
import { containersOf, kindRules, statusOf } from './readiness.ts'

export type PodsWanted = { readonly key: ItemKey; readonly namespace: string; readonly labelSelector: string }

const workloads = ['apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet', 'batch/Job']

const workloadsMost = 5

/** Pods are read only if the workload is not ready this long after the last write. */
const patienceSeconds = 5

export const podsWanted = ({ goal, items, observed }: World, now: Date): PodsWanted[] =>
  (goal === 'apply' ? items : [])
    .flatMap(item => {
      const live = observed.live.get(itemKey(item))
      return live && isOverdue(item, now) && isShort(live, now) ? (wantedOf(item, live) ?? []) : []
    })
    .slice(0, workloadsMost)

const isOverdue = ({ lastAppliedAt }: Item, now: Date): boolean =>
  Math.abs(now.getTime() - Date.parse(lastAppliedAt)) >= patienceSeconds * 1000

const isShort = (live: KubeObject, now: Date): boolean =>
  workloads.includes(groupAndKind(live)) &&
  !isDeleting(live) &&
  kindRules[groupAndKind(live)]?.(live, now)?.status !== 'Current'

const wantedOf = (item: Item, live: KubeObject): PodsWanted | undefined => {
  const labelSelector = podSelectorOf(live)
  return labelSelector === '' ? undefined : { key: itemKey(item), namespace: item.namespace, labelSelector }
}

/** '' for selectors with `matchExpressions`, because their labels alone may select Pods of other workloads. */
export const podSelectorOf = ({ spec }: KubeObject): string => {
  const { matchLabels, matchExpressions } = mapOrEmpty(mapOrEmpty(spec).selector)
  return matchExpressions ? '' : labelSelectorText(mapOrEmpty(matchLabels))
}

/** The reason why the workload cannot create Pods, or else the reason of the youngest Pod with a reason; undefined without a reason. */
export const troubleInPods = (workload: KubeObject, pods: readonly KubeObject[] = []): Sentence | undefined => {
  const failure = replicaFailure(workload)
  if (failure) return failure
  const byAge = pods.filter(pod => !isDeleting(pod)).toSorted((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1))
  for (const pod of byAge) {
    const trouble = troubleOf(pod)
    if (trouble) return sentence(`Pod ${pod.metadata.name}: `, trouble)
  }
  return undefined
}

/** The reason why Pods cannot be created, such as a quota. */
export const replicaFailure = (workload: KubeObject): Sentence | undefined => {
  const failure = conditionOf(workload, 'ReplicaFailure')
  return isTrue(failure) ? sentence('', { reason: failure?.reason, message: failure?.message }) : undefined
}

export const troubleInPod = (pod: KubeObject): Sentence | undefined => {
  const trouble = pod.kind === 'Pod' && troubleOf(pod)
  return trouble ? sentence('', trouble) : undefined
}

const createdAt = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ''

/** `message` may quote the manifest or the program's output; `reason` is a word of Kubernetes. */
type Trouble = { readonly reason: unknown; readonly message?: unknown }

const charactersMost = 256

const sentence = (subject: string, { reason, message }: Trouble): Sentence => {
  const bare = `${subject}${shownText(reason)}`
  return { bare, full: isText(message) ? `${bare}: ${excerpt(charactersMost, message)}` : bare }
}

const troubleOf = (pod: KubeObject): Trouble | undefined => {
  const { phase, reason, message } = statusOf(pod)
  if (phase === 'Succeeded') return undefined
  const scheduled = conditionOf(pod, 'PodScheduled')
  if (scheduled?.status === 'False') return { reason: scheduled.reason, message: scheduled.message }
  if (isText(reason)) return { reason, message }
  return containersOf(pod).flatMap(container => containerTrouble(container) ?? [])[0]
}

const startReasons: readonly unknown[] = ['ContainerCreating', 'PodInitializing']

const containerTrouble = ({ name, ready, state, lastState }: JsonMap): Trouble | undefined => {
  if (ready === true) return undefined
  const { waiting, running, terminated } = mapOrEmpty(state)
  const end = isMap(terminated) ? terminated : mapOrEmpty(mapOrEmpty(lastState).terminated)
  const { reason, message } = mapOrEmpty(waiting)
  if (reason === 'CrashLoopBackOff') return { reason, message: endText(name, end) }
  if (isText(reason) && !startReasons.includes(reason)) return { reason, message }
  if (numberIn(end, 'exitCode')) return { reason: 'ContainerFailed', message: endText(name, end) }
  return isMap(running)
    ? { reason: 'ContainersNotReady', message: `container ${shownText(name)} runs and is not ready` }
    : undefined
}

/** Example: `container app ended with exit code 1 (Error): no config`. */
const endText = (name: unknown, { exitCode, reason, message }: JsonMap): string =>
  `container ${shownText(name)} ended with exit code ${shownText(exitCode)} (${shownText(reason)})${isText(message) ? `: ${message.trim()}` : ''}`
