// Jobs: Pods until enough of them succeeded or too many failed. Ended Pods are counted exactly once, even if this
// process ends between two writes: first the status notes them, then they are released, then counted.
import type { KubeObject } from '../../../core/objects/object.ts'
import { nowText } from '../../time.ts'
import { at, fieldsAt, type JsonMap, listAt, numberAt, textAt } from '../../value.ts'
import { claimed, ownedBy, ownersIn } from '../claims.ts'
import { conditionOf, conditionsOf, isTrue, withConditions } from '../conditions.ts'
import type { Controller, Look } from '../controller.ts'
import { controllerWorker } from '../controller-worker.ts'
import { jobTurned } from '../node-events.ts'
import { isActive, isEnding, isReady, phaseOf, podOf, templateOf } from '../pods/pod-template.ts'
import { nextIndexes, rangesText, type Verdict, verdictOf } from './job-verdict.ts'
import { createPod, removePod } from './own-pods.ts'

const collection = 'batch/jobs'
const tracking = 'batch.kubernetes.io/job-tracking'
const indexAnnotation = 'batch.kubernetes.io/job-completion-index'

export const jobs: Controller = {
  name: 'job-controller',
  worker: controllerWorker('job-controller'),
  collection,
  concerns: { pods: ownersIn(collection, 'Job') },
  tend: async (look, job) => {
    await claimed(look, job, 'pods')
    if (isFinished(job)) return afterEnd(look, job)
    const counted = await count(look, job)
    const verdict = verdictOf(job, counted, Date.now())
    if (verdict.waitMilliseconds !== undefined) look.again(verdict.waitMilliseconds)
    if (!isEnding(job)) await scale(look, job, counted, verdict)
    await report(look, job, counted, verdict)
  },
}

const ends = ['Complete', 'Failed']
const isEnd = ({ type }: { readonly type?: unknown }): boolean => ends.includes(String(type))

export const isFinished = (job: KubeObject): boolean => ends.some(type => isTrue(job, type))

const podsOf = (look: Look, job: KubeObject): KubeObject[] => ownedBy(look, job, 'pods')
const isTracked = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(tracking) ?? false

const free = async ({ hands }: Look, pod: KubeObject): Promise<void> =>
  hands.update(pod, now => ({
    ...now,
    metadata: { ...now.metadata, finalizers: now.metadata.finalizers?.filter(each => each !== tracking) },
  }))

const lists = ['succeeded', 'failed'] as const
const phases = { succeeded: 'Succeeded', failed: 'Failed' } as const

/** A Pod that was deleted before it succeeded counts as failed. */
const listFor = (pod: KubeObject): (typeof lists)[number] | undefined =>
  lists.find(list => phaseOf(pod) === phases[list]) ??
  (isEnding(pod) && !isActive(pod) && isGone(pod) ? 'failed' : undefined)

const isGone = ({ metadata }: KubeObject): boolean => numberAt(metadata, ['deletionGracePeriodSeconds']) === 0

const count = async (look: Look, job: KubeObject): Promise<JsonMap> => {
  const ended = podsOf(look, job).filter(pod => isTracked(pod) && listFor(pod))
  const noted = (list: (typeof lists)[number]) => {
    const fresh = ended.filter(pod => listFor(pod) === list).map(({ metadata }) => metadata.uid ?? '')
    return [...new Set([...listAt(job, 'status', 'uncountedTerminatedPods', list).map(String), ...fresh])]
  }
  const uncounted = { succeeded: noted('succeeded'), failed: noted('failed') }
  const before = fieldsAt(job, 'status') ?? {}
  if (ended.length > 0) await look.hands.report(job, { ...before, uncountedTerminatedPods: uncounted })
  for (const pod of ended) await free(look, pod)
  return {
    ...before,
    ...Object.fromEntries(lists.map(list => [list, numberAt(before, [list]) + uncounted[list].length])),
    uncountedTerminatedPods: {},
    ...indexesOf(look, job, before),
  }
}

const isIndexed = (job: KubeObject): boolean => textAt(job, 'spec', 'completionMode') === 'Indexed'
const indexOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.[indexAnnotation] ?? -1)

const indexesOf = (look: Look, job: KubeObject, before: JsonMap): JsonMap => {
  if (!isIndexed(job)) return {}
  const done = podsOf(look, job).filter(pod => phaseOf(pod) === 'Succeeded')
  return { completedIndexes: rangesText(textAt(before, 'completedIndexes'), done.map(indexOf)) }
}

const scale = async (look: Look, job: KubeObject, counted: JsonMap, verdict: Verdict): Promise<void> => {
  const { wanted, pauseMilliseconds } = verdict
  const active = podsOf(look, job).filter(isActive)
  for (const pod of active.slice(wanted)) await removePod(look, job, pod)
  const missing = wanted - podsOf(look, job).filter(pod => isActive(pod) || (isEnding(pod) && isTracked(pod))).length
  if (missing <= 0) return
  const left = pauseLeft(look, job, pauseMilliseconds(look.stepMilliseconds))
  if (left > 0) return look.again(left)
  const indexes = nextIndexes(textAt(counted, 'completedIndexes'), active.map(indexOf), missing)
  for (let number = 0; number < missing; number++) await createPod(look, job, jobPod(job, indexes[number] ?? 0))
}

/** After a failure the next Pod waits; failed Pods have the time of the failure. */
const pauseLeft = (look: Look, job: KubeObject, milliseconds: number): number => {
  const ends = podsOf(look, job)
    .filter(pod => phaseOf(pod) === 'Failed')
    .map(pod => Date.parse(textAt(listAt(pod, 'status', 'containerStatuses')[0], 'state', 'terminated', 'finishedAt')))
  return ends.length ? Math.max(...ends) + milliseconds - Date.now() : 0
}

const jobPod = (job: KubeObject, index: number): JsonMap => {
  if (!isIndexed(job)) return podOf(job, templateOf(job), { finalizers: [tracking] })
  const name = `${job.metadata.name}-${index}`
  const marks = { [indexAnnotation]: String(index) }
  const parts = { prefix: `${name}-`, finalizers: [tracking], annotations: marks, labels: marks }
  const spec = { hostname: name, containers: listAt(templateOf(job), 'spec', 'containers').map(withIndexVariable) }
  return podOf(job, templateOf(job), { ...parts, spec })
}

const indexVariable = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } },
}

const withIndexVariable = (container: unknown): JsonMap => {
  const env = listAt(container, 'env')
  const isThere = env.some(each => textAt(each, 'name') === indexVariable.name)
  return { ...fieldsAt(container), env: isThere ? env : [...env, indexVariable] }
}

const report = async (look: Look, job: KubeObject, counted: JsonMap, verdict: Verdict): Promise<void> => {
  const pods = podsOf(look, job)
  const active = pods.filter(isActive)
  const mayEnd = !verdict.conditions.some(isEnd) || active.length === 0
  const turned = verdict.conditions.filter(condition => mayEnd || !isEnd(condition))
  const conditions = withConditions(conditionsOf(job), turned, () => ({ lastProbeTime: nowText() }))
  await look.hands.report(job, {
    ...counted,
    conditions,
    active: active.length,
    ready: active.filter(isReady).length,
    terminating: pods.filter(isEnding).length,
    startTime: verdict.isSuspended ? undefined : (at(counted, 'startTime') ?? nowText()),
    ...(mayEnd && verdict.isComplete && { completionTime: nowText() }),
  })
  for (const condition of turned)
    if (conditionOf(job, condition.type)?.status !== condition.status)
      for (const content of jobTurned(condition)) look.record(job, content)
}

/** Pods of a finished Job are released; the Job itself is deleted after its time to live. */
const afterEnd = async (look: Look, job: KubeObject): Promise<void> => {
  for (const pod of podsOf(look, job).filter(isTracked)) await free(look, pod)
  const seconds = at(job, 'spec', 'ttlSecondsAfterFinished')
  if (typeof seconds !== 'number' || isEnding(job)) return
  const end = conditionsOf(job).find(condition => isEnd(condition) && condition.status === 'True')
  const left = Date.parse(textAt(end, 'lastTransitionTime')) + seconds * 1000 - Date.now()
  if (left > 0) look.again(left)
  else await look.hands.remove(job)
}
