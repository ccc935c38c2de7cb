// The loop: read, gather, decide, apply, report, one status patch, reply. It waits for nothing and remembers nothing:
// whoever calls again finds all that matters in the cluster. Who calls, and when, is the host's and the relay's matter.
import { isDeepStrictEqual } from 'node:util'
import type { Log } from '../core/log.ts'
import { mergePatched } from '../core/merge-patch.ts'
import { type Key, type KubeObject, refOf, refText } from '../core/object.ts'
import type { Outcome } from '../core/outcome.ts'
import type { Plan, StatusChange, StepResult } from '../core/plan.ts'
import { performSteps } from '../kube/apply.ts'
import type { BindableClusters, Client, Clusters } from '../kube/client-types.ts'
import { isConflict, isNotFound } from '../kube/errors.ts'
import { recordEvents } from '../kube/events.ts'
import { patchAsRead } from '../kube/patch-as-read.ts'
import { issueCertificates } from '../outside/certificates.ts'
import type { ReconcileFunction, Report } from './definition.ts'
import { outcomeOf } from './outcome-of.ts'

export type Call = {
  clusters: BindableClusters
  /** On the monotonic clock: from then on no step and no further pass is begun; the status is still written. */
  deadline: number
  /** On the monotonic clock: no request is begun after it. */
  end: number
  /** Ends what still runs then. */
  signal: AbortSignal
  traceparent?: string
  now: () => Date
  log: Log
}

/** What one pass through the loop did and saw. */
export type Pass = { plan: Plan; results: readonly StepResult[]; report: Report; hasConflict: boolean }

/** A function that never comes to rest is a defect; it must not write without end within one call. */
const maxPasses = 20

/** Brings one object as far as it goes now. Throws when the API server cannot be asked. */
export const reconcile = async (definition: ReconcileFunction, key: Key, call: Call): Promise<Outcome> => {
  const { signal, end, traceparent } = call
  const clusters = call.clusters.bound({ signal, deadline: end, traceparent })
  const local = await clusters.of('local')
  for (let pass = 1; ; pass++) {
    const object = await local.get({ ...definition.kind, ...key })
    if (object === undefined) return { outcome: 'settled' }
    const done = await onePass(definition, object, { call, clusters })
    call.log.debug({ pass, steps: done.results.map(stepText), next: done.plan.next }, 'pass done')
    const isOver = pass === maxPasses || isSpent(call)
    if (isOver || !deservesAnotherPass(done)) return outcomeOf(done, { hasMore: isOver && deservesAnotherPass(done) })
  }
}

type Bound = { call: Call; clusters: Clusters }

const onePass = async (definition: ReconcileFunction, object: KubeObject, { call, clusters }: Bound): Promise<Pass> => {
  const local = await clusters.of('local')
  const world = await definition.gather(object, { reads: local, clusters })
  const plan = definition.decide(world, call.now())
  const mayContinue = () => !isSpent(call)
  const reach = { clusters, fieldManager: definition.name, mayContinue, issue: issueCertificates }
  const results = await performSteps(plan.steps, reach)
  const report = definition.report?.(world, plan, results, call.now()) ?? { status: plan.status }
  const hasConflict = await writeStatus(local, latest(object, results), report.status, definition.name)
  const lost = await recordEvents(local, object, plan.events, { component: definition.name, now: call.now() })
  for (const error of lost) call.log.warn({ err: error }, 'an event could not be recorded')
  return { plan, results, report, hasConflict }
}

/** One patch of the status, bound to what was read, and only if it changes something. True: somebody was faster. */
const writeStatus = async (client: Client, object: KubeObject, change: StatusChange, fieldManager: string) => {
  const before = object.status ?? {}
  if (isDeepStrictEqual(mergePatched(before, change), before)) return false
  try {
    await patchAsRead(client, object, { merge: { status: change }, subresource: 'status', fieldManager })
    return false
  } catch (error) {
    if (isNotFound(error)) return false
    if (isConflict(error)) return true
    throw error
  }
}

/** The object as our own steps left it, else the status patch would stumble over our own writes. */
const latest = (object: KubeObject, results: readonly StepResult[]): KubeObject =>
  results.findLast(({ object: after, step }) => after?.metadata.uid === object.metadata.uid && !step.on)?.object ??
  object

const deservesAnotherPass = ({ plan, results, hasConflict }: Pass): boolean =>
  plan.next.is === 'settled' &&
  !hasConflict &&
  results.some(result => result.changed) &&
  !results.some(result => result.error)

const isSpent = (call: Call): boolean => performance.now() >= call.deadline

const stepText = ({ step, changed, error }: StepResult): string => {
  const subject = 'target' in step ? step.target : 'object' in step ? step.object : step.into
  return `${step.do} ${refText(refOf(subject))}: ${error?.message ?? (changed ? 'done' : 'already so')}`
}
