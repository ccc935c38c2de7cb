// Jobs: creates Pods until enough of them succeeded or too many failed. Each ended Pod is counted exactly once, even if the process is
// killed between two writes. First the status lists the Pod, then the finalizer of the Pod is removed, then the Pod is counted.
import { conditionOf, isTrue } from '../../../core/objects/condition.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { conditionsOf, withConditions } from '../../conditions.ts'
import { nowText } from '../../time.ts'
import { at, fieldsAt, type JsonMap, listAt, numberAt, textAt } from '../../value.ts'
import { claimed, ownedBy, ownersIn } from '../claims.ts'
import type { Context, Controller } from '../controller.ts'
import { controllerWorker } from '../controller-worker.ts'
import { jobTurned } from '../node-events.ts'
import { nextIndexes, rangesText, type Verdict, verdictOf } from './job-verdict.ts'
import { createPod, isActive, isEnding, isReady, phaseOf, podOf, removePod, templateOf } from './own-pods.ts'

const collection = 'batch/jobs'
const tracking = 'batch.kubernetes.io/job-tracking'
const indexAnnotation = 'batch.kubernetes.io/job-completion-index'

export const jobs: Controller = {
  name: 'job-controller',
  worker: controllerWorker('job-controller'),
  collection,
  concerns: { pods: ownersIn(collection, 'Job') },
  reconcile: async (context, job) => {
    await claimed(context, job, 'pods')
    if (isFinished(job)) return afterEnd(context, job)
    const counted = await count(context, job)
    const verdict = verdictOf(job, counted, Date.now())
    if (verdict.waitMilliseconds !== undefined) context.requeueAfter(verdict.waitMilliseconds)
    if (!isEnding(job)) await scale(context, job, counted, verdict)
    await report(context, job, counted, verdict)
  },
}

const ends = ['Complete', 'Failed']
const isEnd = ({ type }: { readonly type?: unknown }): boolean => ends.includes(String(type))

export const isFinished = (job: KubeObject): boolean => ends.some(type => isTrue(conditionOf(job, type)))

const podsOf = (context: Context, job: KubeObject): KubeObject[] => ownedBy(context, job, 'pods')
const isTracked = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(tracking) ?? false

const free = ({ writes }: Context, pod: KubeObject): Promise<void> => writes.removeFinalizer(pod, tracking)

const lists = ['succeeded', 'failed'] as const
const phases = { succeeded: 'Succeeded', failed: 'Failed' } as const

/** A Pod that was deleted before it succeeded counts as failed. */
const listFor = (pod: KubeObject): (typeof lists)[number] | undefined =>
  lists.find(list => phaseOf(pod) === phases[list]) ??
  (isEnding(pod) && !isActive(pod) && isGone(pod) ? 'failed' : undefined)

const isGone = ({ metadata }: KubeObject): boolean => numberAt(metadata, ['deletionGracePeriodSeconds']) === 0

const count = async (context: Context, job: KubeObject): Promise<JsonMap> => {
  const ended = podsOf(context, job).filter(pod => isTracked(pod) && listFor(pod))
  const noted = (list: (typeof lists)[number]) => {
    const fresh = ended.filter(pod => listFor(pod) === list).map(({ metadata }) => metadata.uid ?? '')
    return [...new Set([...listAt(job, 'status', 'uncountedTerminatedPods', list).map(String), ...fresh])]
  }
  const uncounted = { succeeded: noted('succeeded'), failed: noted('failed') }
  const before = fieldsAt(job, 'status') ?? {}
  if (ended.length > 0) await context.writes.report(job, { ...before, uncountedTerminatedPods: uncounted })
  for (const pod of ended) await free(context, pod)
  return {
    ...before,
    ...Object.fromEntries(lists.map(list => [list, numberAt(before, [list]) + uncounted[list].length])),
    uncountedTerminatedPods: {},
    ...indexesOf(context, job, before),
  }
}

const isIndexed = (job: KubeObject): boolean => textAt(job, 'spec', 'completionMode') === 'Indexed'
const indexOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.[indexAnnotation] ?? -1)

const indexesOf = (context: Context, job: KubeObject, before: JsonMap): JsonMap => {
  if (!isIndexed(job)) return {}
  const done = podsOf(context, job).filter(pod => phaseOf(pod) === 'Succeeded')
  return { completedIndexes: rangesText(textAt(before, 'completedIndexes'), done.map(indexOf)) }
}

const scale = async (context: Context, job: KubeObject, counted: JsonMap, verdict: Verdict): Promise<void> => {
  const { wanted, pauseMilliseconds } = verdict
  const active = podsOf(context, job).filter(isActive)
  for (const pod of active.slice(wanted)) await removePod(context, job, pod)
  const missing = wanted - podsOf(context, job).filter(pod => isActive(pod) || (isEnding(pod) && isTracked(pod))).length
  if (missing <= 0) return
  const left = pauseLeft(context, job, pauseMilliseconds(context.stepMilliseconds))
  if (left > 0) return context.requeueAfter(left)
  const indexes = nextIndexes(textAt(counted, 'completedIndexes'), active.map(indexOf), missing)
  for (let number = 0; number < missing; number++) await createPod(context, job, jobPod(job, indexes[number] ?? 0))
}

/** The remaining pause after a failure before the next Pod. Failed Pods contain the time of their failure. */
const pauseLeft = (context: Context, job: KubeObject, milliseconds: number): number => {
  const ends = podsOf(context, job)
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

const report = async (context: Context, job: KubeObject, counted: JsonMap, verdict: Verdict): Promise<void> => {
  const pods = podsOf(context, job)
  const active = pods.filter(isActive)
  const mayEnd = !verdict.conditions.some(isEnd) || active.length === 0
  const turned = verdict.conditions.filter(condition => mayEnd || !isEnd(condition))
  const conditions = withConditions(conditionsOf(job), turned, { lastProbeTime: nowText() })
  await context.writes.report(job, {
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
      for (const content of jobTurned(condition)) context.record(job, content)
}

/** Releases the Pods of a finished Job, and deletes the Job after its time to live. */
const afterEnd = async (context: Context, job: KubeObject): Promise<void> => {
  for (const pod of podsOf(context, job).filter(isTracked)) await free(context, pod)
  const seconds = at(job, 'spec', 'ttlSecondsAfterFinished')
  if (typeof seconds !== 'number' || isEnding(job)) return
  const end = conditionsOf(job).find(condition => isEnd(condition) && condition.status === 'True')
  const left = Date.parse(textAt(end, 'lastTransitionTime')) + seconds * 1000 - Date.now()
  if (left > 0) context.requeueAfter(left)
  else await context.writes.remove(job)
}
