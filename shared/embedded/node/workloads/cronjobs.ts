// CronJobs: creates a Job at each time of the schedule, and keeps a limited number of old Jobs.
import { Cron } from 'croner'
import { conditionOf, isTrue } from '../../../core/objects/condition.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { kubeTime } from '../../../core/time/kube-time.ts'
import { fieldsAt, type JsonMap, listAt, numberAt, textAt } from '../../value.ts'
import { controllerOf, ownedBy, ownerReference } from '../claims.ts'
import type { Context, Controller } from '../controller.ts'
import { controllerWorker } from '../controller-worker.ts'
import { jobCreated, jobDeleted, jobSeenEnded } from '../node-events.ts'
import { isFinished } from './jobs.ts'
import { isEnding } from './own-pods.ts'

const timeAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp'

export const cronJobs: Controller = {
  name: 'cronjob-controller',
  worker: controllerWorker('cronjob-controller'),
  collection: 'batch/cronjobs',
  concerns: {
    'batch/jobs': ({ stored }) => {
      const owner = controllerOf(stored.object)
      return owner?.kind === 'CronJob' ? [`${stored.object.metadata.namespace}/${owner.name}`] : []
    },
  },
  reconcile: async (context, cronJob) => {
    if (isEnding(cronJob)) return
    const began = await begin(context, cronJob)
    const jobs = ownedBy(context, cronJob, 'batch/jobs')
    await context.writes.report(cronJob, statusOf(cronJob, jobs, began))
    for (const job of jobs) recordEnd(context, cronJob, job)
    await forget(context, cronJob, jobs)
  },
}

const begin = async (context: Context, cronJob: KubeObject): Promise<Date | undefined> => {
  if (fieldsAt(cronJob, 'spec')?.suspend === true) return undefined
  const { due, next } = timesOf(cronJob, new Date())
  if (next) context.requeueAfter(next.getTime() - Date.now() + 1)
  if (!due || isTooLate(cronJob, due)) return undefined
  const active = ownedBy(context, cronJob, 'batch/jobs').filter(job => !isFinished(job))
  const policy = textAt(cronJob, 'spec', 'concurrencyPolicy')
  if (policy === 'Forbid' && active.length > 0) return undefined
  if (policy === 'Replace') for (const job of active) await removeJob(context, cronJob, job)
  const job = jobOf(cronJob, due)
  const key = `${cronJob.metadata.namespace}/${textAt(job, 'metadata', 'name')}`
  if (context.store.get('batch/jobs', key)) return due
  const made = await context.writes.create(job)
  context.record(cronJob, jobCreated(made.metadata.name))
  return due
}

/** `due`: the latest time of the schedule since the last Job. `next`: the next time of the schedule. */
const timesOf = (cronJob: KubeObject, now: Date): { due?: Date; next?: Date } => {
  const timezone = textAt(cronJob, 'spec', 'timeZone') || 'UTC'
  const cron = new Cron(textAt(cronJob, 'spec', 'schedule'), { timezone, paused: true })
  const since = new Date(textAt(cronJob, 'status', 'lastScheduleTime') || String(cronJob.metadata.creationTimestamp))
  const [last] = cron.previousRuns(1, new Date(now.getTime() + 1))
  return { due: last && last > since ? last : undefined, next: cron.nextRun(now) ?? undefined }
}

const isTooLate = (cronJob: KubeObject, due: Date): boolean => {
  const seconds = numberAt(cronJob, ['spec', 'startingDeadlineSeconds'], Number.POSITIVE_INFINITY)
  return Date.now() > due.getTime() + seconds * 1000
}

const jobOf = (cronJob: KubeObject, due: Date): JsonMap => {
  const template = fieldsAt(cronJob, 'spec', 'jobTemplate')
  const { labels, annotations } = fieldsAt(template, 'metadata') ?? {}
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${cronJob.metadata.name}-${Math.floor(due.getTime() / 60_000)}`,
      namespace: cronJob.metadata.namespace,
      labels,
      annotations: { ...(annotations as JsonMap), [timeAnnotation]: kubeTime(due) },
      ownerReferences: [ownerReference(cronJob)],
    },
    spec: template?.spec,
  }
}

const statusOf = (cronJob: KubeObject, jobs: readonly KubeObject[], began: Date | undefined): JsonMap => {
  const before = fieldsAt(cronJob, 'status') ?? {}
  const successes = jobs
    .filter(job => isTrue(conditionOf(job, 'Complete')))
    .map(job => textAt(job, 'status', 'completionTime'))
  return {
    ...before,
    active: jobs.filter(job => !isFinished(job)).map(referenceTo),
    ...(began && { lastScheduleTime: kubeTime(began) }),
    lastSuccessfulTime: [textAt(before, 'lastSuccessfulTime'), ...successes].sort().at(-1) || undefined,
  }
}

const recordEnd = ({ record }: Context, cronJob: KubeObject, job: KubeObject): void => {
  const wasActive = listAt(cronJob, 'status', 'active').some(each => textAt(each, 'uid') === job.metadata.uid)
  const end = wasActive && limits.find(([condition]) => isTrue(conditionOf(job, condition)))
  if (end) record(cronJob, jobSeenEnded(job, end[0]))
}

const referenceTo = ({ apiVersion, kind, metadata }: KubeObject): JsonMap => {
  const { name, namespace, uid, resourceVersion } = metadata
  return { apiVersion, kind, name, namespace, uid, resourceVersion }
}

const forget = async (context: Context, cronJob: KubeObject, jobs: readonly KubeObject[]): Promise<void> => {
  for (const [condition, limit, fallback] of limits) {
    const ended = jobs.filter(job => isTrue(conditionOf(job, condition))).sort(youngestFirst)
    for (const job of ended.slice(numberAt(cronJob, ['spec', limit], fallback)))
      if (!isEnding(job)) await removeJob(context, cronJob, job)
  }
}

const removeJob = async ({ writes, record }: Context, cronJob: KubeObject, job: KubeObject): Promise<void> => {
  await writes.remove(job)
  record(cronJob, jobDeleted(job))
}

const limits = [
  ['Complete', 'successfulJobsHistoryLimit', 3],
  ['Failed', 'failedJobsHistoryLimit', 1],
] as const

const youngestFirst = (left: KubeObject, right: KubeObject): number =>
  textAt(left, 'status', 'startTime') < textAt(right, 'status', 'startTime') ? 1 : -1
