// The loop: read, gather, decide, apply, report, one status write, reply. It waits for nothing and remembers nothing:
// whoever calls again finds all that matters in the cluster. Who calls, and when, is the host's and the relay's matter.
import { isDeepStrictEqual } from 'node:util'
import type { Installation } from '../api/installation.ts'
import type { Log } from '../core/log.ts'
import { mergedPatches, mergePatched } from '../core/merge-patch.ts'
import { isDeleting, type Key, type KubeObject, refOf, refText } from '../core/object.ts'
import type { Outcome } from '../core/outcome.ts'
import type { EventNote, Plan, StatusChange, StepResult } from '../core/plan.ts'
import { type PerformOptions, performSteps } from '../kube/apply.ts'
import type { BindableClusters, Client, Clusters } from '../kube/client-types.ts'
import { isConflict, isNotFound } from '../kube/errors.ts'
import { recordEvents } from '../kube/events.ts'
import { statusAsRead } from '../kube/write-as-read.ts'
import type { Artifacts } from '../outside/artifacts.ts'
import { issueCertificates } from '../outside/certificates.ts'
import type { CallScope, ReconcileFunction, Report } from './definition.ts'
import { nextOf, outcomeOf } from './outcome-of.ts'
import { knowing, writesLookedAt } from './own-writes.ts'

export type Call = {
  clusters: BindableClusters
  /** On the monotonic clock: from then on no step and no further pass is begun; the status is still written. */
  deadline: number
  /** On the monotonic clock: no request is begun after it. */
  end: number
  /** Ends what still runs then. */
  signal: AbortSignal
  traceparent?: string
  artifacts?: Artifacts
  /** Hosts that kubeconfigs of components may lead to; as the function itself says when absent. */
  kubeConfigHosts?: readonly string[]
  /** The namespace the program runs in; the usual one when absent. */
  home?: string
  installation?: Installation
  now: () => Date
  log: Log
}

/** What one pass through the loop did and saw. */
export type Pass = {
  plan: Plan
  results: readonly StepResult[]
  report: Report
  hasConflict: boolean
  /** The object as our own writes left it. */
  object?: KubeObject
  /** The same, if its status was written. */
  saved?: KubeObject
  /** What its status shall say besides, to be saved with the next write. */
  unsaved?: StatusChange
}

/** A function that never comes to rest is a defect; it must not write without end within one call. */
const maxPasses = 100

const usualHome = 'espalier-system'

/** Brings one object as far as it goes now. Throws when the API server cannot be asked. */
export const reconcile = async (definition: ReconcileFunction, key: Key, call: Call): Promise<Outcome> => {
  const bounds = { signal: call.signal, deadline: call.end, traceparent: call.traceparent }
  const landscape = call.clusters.bound(bounds)
  const local = await landscape.of('local')
  const { home = usualHome } = call
  const scope = definition.begin?.({ ...call, clusters: landscape, residence: call.clusters, bounds, home }) ?? {}
  const within = { call, clusters: scope.clusters ?? landscape, local, scope, telling: [] }
  try {
    return await passes(definition, key, within)
  } finally {
    await Promise.all(within.telling)
  }
}

const passes = async (definition: ReconcileFunction, key: Key, within: Within): Promise<Outcome> => {
  const { call, local, scope } = within
  const wrote = new Set<string>()
  const ending = (outcome: Outcome) =>
    scope.hasReadOnce ? outcome : knowing(outcome, { wrote: [...wrote], read: scope.read })
  const read = async (): Promise<Known> => ({ object: await local.get({ ...definition.kind, ...key }) })
  let { object, unsaved } = await read()
  for (let pass = 1; object; pass++) {
    const done = await onePass(definition, { object, unsaved }, within)
    call.log.debug({ pass, steps: done.results.map(stepText), next: nextOf(done) }, 'pass done')
    const hasMore = deservesAnotherPass(done)
    const isLast = !hasMore || pass === maxPasses || isSpent(call)
    for (const version of writesLookedAt(done, { isLast })) wrote.add(version)
    if (isLast) return ending(outcomeOf(done, { hasMore }))
    ;({ object, unsaved } = nextKnown(object, done) ?? (await read()))
  }
  return ending({ outcome: 'settled' })
}

/** What a pass begins with: the object as it is stored, and what its status shall say besides. */
type Known<Read = KubeObject | undefined> = { object: Read; unsaved?: StatusChange }

/**
 * The answer to our own write is as good as a read, and a pass that only goes on needs none: should somebody else have
 * been faster, our next write is refused. One in deletion may have gone with our last write.
 */
const nextKnown = (read: KubeObject, done: Pass): Known | undefined => {
  const object = done.object ?? (nextOf(done).is === 'again' ? read : undefined)
  return object && !isDeleting(object) ? { object, unsaved: done.unsaved } : undefined
}

type Within = {
  call: Call
  clusters: Clusters
  local: Client
  scope: CallScope
  /** Events on their way: a courtesy that nothing waits for but the end of the call. */
  telling: Promise<void>[]
}

const onePass = async (
  definition: ReconcileFunction,
  { object: stored, unsaved = {} }: Known<KubeObject>,
  within: Within,
): Promise<Pass> => {
  const { call, clusters, local, scope, telling } = within
  const component = definition.fieldManager ?? definition.name
  const object = statused(stored, unsaved)
  const seen = { reads: local, clusters, installation: call.installation, residence: call.clusters }
  const world = await definition.gather(object, seen, scope)
  const plan = definition.decide(world, call.now())
  const results = await performSteps(plan.steps, reachOf(definition, within))
  const report = definition.report?.(world, plan, results, call.now()) ?? { status: plan.status }
  const left = latest(object, results)
  const change = mergedPatches(unsaved, report.status)
  const written: Written =
    report.savesLater && !isSpent(call)
      ? { hasConflict: false, unsaved: change }
      : await writeStatus(left ?? stored, change, { local, fieldManager: component })
  telling.push(recordNotes(object, report.events ?? plan.events, { ...within, component }))
  return { plan, results, report, ...written, object: written.saved ?? left }
}

/** As it will be once the change is saved. */
const statused = (object: KubeObject, change: StatusChange): KubeObject =>
  Object.keys(change).length > 0 ? { ...object, status: mergePatched(object.status, change) } : object

const reachOf = (definition: ReconcileFunction, { call, clusters, scope }: Within): PerformOptions => ({
  clusters,
  fieldManager: definition.fieldManager ?? definition.name,
  mayContinue: () => !isSpent(call),
  issue: issueCertificates,
  runHook: scope.runHook,
  requestsInFlight: definition.requestsInFlight,
})

type Written = Pick<Pass, 'hasConflict' | 'saved' | 'unsaved'>

/** One write of the status, bound to what was read, and only if it changes something. A conflict: somebody was faster. */
const writeStatus = async (
  object: KubeObject,
  change: StatusChange,
  { local, fieldManager }: { local: Client; fieldManager: string },
): Promise<Written> => {
  const before = object.status ?? {}
  if (isDeepStrictEqual(mergePatched(before, change), before)) return { hasConflict: false }
  try {
    return { hasConflict: false, saved: await statusAsRead(local, object, { merge: change, fieldManager }) }
  } catch (error) {
    if (isNotFound(error)) return { hasConflict: false }
    if (isConflict(error)) return { hasConflict: true }
    throw error
  }
}

/** They are a courtesy: what cannot be recorded is logged and fails nothing. */
const recordNotes = async (
  object: KubeObject,
  notes: readonly EventNote[],
  { call, component, clusters }: Within & { component: string },
): Promise<void> => {
  const source = { component, now: call.now() }
  for (const note of notes) logWarning(note, call.log)
  const recorded = notes.map(async note =>
    recordEvents(await clusters.of(note.on ?? 'local'), note.regarding ?? object, [note], source),
  )
  for (const outcome of await Promise.allSettled(recorded))
    for (const error of outcome.status === 'rejected' ? [outcome.reason] : outcome.value)
      call.log.warn({ err: error }, 'an event could not be recorded')
}

/** Who reads no Events reads logs. */
const logWarning = ({ type, reason, message, regarding }: EventNote, log: Log): void => {
  if (type === 'Warning') log.warn({ reason, ...(regarding && { regarding: refText(refOf(regarding)) }) }, message)
}

/** The object as our own steps left it, else the status write would stumble over our own writes. */
const latest = (object: KubeObject, results: readonly StepResult[]): KubeObject | undefined =>
  results.findLast(
    ({ object: after, step }) => after?.metadata.uid === object.metadata.uid && !step.on && step.do !== 'hook',
  )?.object

const deservesAnotherPass = (pass: Pass): boolean => {
  if (pass.hasConflict || pass.results.some(result => result.error?.isConflict)) return false
  if (!pass.report.next && pass.results.some(result => result.error)) return false
  const next = nextOf(pass)
  if (next.is !== 'settled' || pass.report.hasJudgedAnswers) return next.is === 'again'
  return pass.results.some(result => result.changed)
}

const isSpent = (call: Call): boolean => performance.now() >= call.deadline

const stepText = ({ step, changed, error }: StepResult): string => {
  const subject = 'target' in step ? step.target : 'object' in step ? step.object : step.into
  return `${step.do} ${refText(refOf(subject))}: ${error?.message ?? (changed ? 'done' : 'already so')}`
}
