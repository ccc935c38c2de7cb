// Decides how many Pods a Job needs, and whether the Job has ended. Pure. Completed indexes are written as in the API: `0-2,5`.
import { conditionOf } from '../../../core/objects/condition.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import type { Condition } from '../../conditions.ts'
import { at, fieldsAt, type JsonMap, numberAt, textAt } from '../../value.ts'
import { pauseMilliseconds } from '../behaviour.ts'

export type Verdict = {
  readonly wanted: number
  readonly conditions: readonly Condition[]
  readonly isComplete: boolean
  readonly isSuspended: boolean
  pauseMilliseconds(stepMilliseconds: number): number
  readonly waitMilliseconds: number | undefined
}

const over = (type: 'Complete' | 'Failed', reason: string, message: string): Condition[] => [
  { type: type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget', status: 'True', reason, message },
  { type, status: 'True', reason, message },
]

export const verdictOf = (job: KubeObject, counted: JsonMap, now: number): Verdict => {
  const failed = numberAt(counted, ['failed'])
  const isSuspended = fieldsAt(job, 'spec')?.suspend === true
  const deadline = deadlineOf(job, counted)
  const end = endOf(job, counted, deadline <= now)
  const isOver = end.length > 0
  return {
    wanted: isOver || isSuspended ? 0 : wantedPods(job, counted),
    conditions: isOver ? end : suspension(job, isSuspended),
    isComplete: end[0]?.type === 'SuccessCriteriaMet',
    isSuspended,
    pauseMilliseconds: step => (failed === 0 || step === 0 ? 0 : pauseMilliseconds(step, failed - 1)),
    waitMilliseconds: Number.isFinite(deadline) && !isOver ? deadline - now : undefined,
  }
}

const deadlineOf = (job: KubeObject, counted: JsonMap): number => {
  const seconds = at(job, 'spec', 'activeDeadlineSeconds')
  const since = Date.parse(textAt(counted, 'startTime'))
  return typeof seconds === 'number' && Number.isFinite(since) ? since + seconds * 1000 : Number.POSITIVE_INFINITY
}

const endOf = (job: KubeObject, counted: JsonMap, isLate: boolean): Condition[] => {
  const succeeded = numberAt(counted, ['succeeded'])
  const completions = at(job, 'spec', 'completions')
  const active = numberAt(counted, ['active'])
  if (numberAt(counted, ['failed']) > numberAt(job, ['spec', 'backoffLimit'], 6))
    return over('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit')
  if (isLate) return over('Failed', 'DeadlineExceeded', 'Job was active longer than specified deadline')
  const isEnough = typeof completions === 'number' ? succeeded >= completions : succeeded > 0 && active <= succeeded
  return isEnough ? over('Complete', 'CompletionsReached', 'Reached expected number of succeeded pods') : []
}

/** Without `completions`, no Pods are created after the first success. */
const wantedPods = (job: KubeObject, counted: JsonMap): number => {
  const parallelism = numberAt(job, ['spec', 'parallelism'], 1)
  const succeeded = numberAt(counted, ['succeeded'])
  const completions = at(job, 'spec', 'completions')
  if (typeof completions === 'number') return Math.min(parallelism, completions - succeeded)
  return succeeded > 0 ? Math.min(parallelism, numberAt(counted, ['active'])) : parallelism
}

const suspension = (job: KubeObject, isSuspended: boolean): Condition[] => {
  if (isSuspended) return [{ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }]
  const wasSuspended = conditionOf(job, 'Suspended') !== undefined
  return wasSuspended ? [{ type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }] : []
}

export const indexesIn = (text: string): number[] =>
  text
    .split(',')
    .filter(part => part !== '')
    .flatMap(part => {
      const [first = 0, last = first] = part.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
    })

export const rangesText = (text: string, more: readonly number[]): string => {
  const all = [...new Set([...indexesIn(text), ...more])]
    .filter(index => index >= 0)
    .sort((left, right) => left - right)
  const ranges: [first: number, last: number][] = []
  for (const index of all) {
    const open = ranges.at(-1)
    if (open && open[1] === index - 1) open[1] = index
    else ranges.push([index, index])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

export const nextIndexes = (done: string, active: readonly number[], count: number): number[] => {
  const taken = new Set([...indexesIn(done), ...active])
  const free: number[] = []
  for (let index = 0; free.length < count; index++) if (!taken.has(index)) free.push(index)
  return free
}
