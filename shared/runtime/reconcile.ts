// The loop: read, gather, decide, perform, report, save, reply. It does not wait and keeps nothing in memory: the next call
// reads everything from the cluster again. Host and relay decide when a function is called.
import { isDeleting, type Key, type KubeObject, refOf, refText } from '../core/object.ts'
import type { Outcome } from '../core/outcome.ts'
import { type Plan, type StepResult, settled } from '../core/plan.ts'
import { type PerformOptions, performSteps } from '../kube/writes/perform-steps.ts'
import { issueCertificates } from '../outside/certificates.ts'
import { secretData } from '../outside/secret-data.ts'
import { type BegunCall, begunCall, type CallContext } from './context.ts'
import type { PassScope, ReconcileFunction } from './definition.ts'
import { deservesAnotherPass, isAtRest, nextOf, outcomeOf, type Pass } from './outcome-of.ts'
import { OwnWrites } from './own-writes.ts'
import { saveStatus } from './save-status.ts'
import { tellEvents } from './tell-events.ts'

/** Bounds the writes of a defective function that never settles. */
const maxPasses = 100

/** Reconciles one object as far as possible now. Throws if the API server does not answer. */
export const reconcile = async (definition: ReconcileFunction, key: Key, call: CallContext): Promise<Outcome> => {
  const within = await begin(definition, call)
  try {
    return await passes(definition, key, within)
  } finally {
    await Promise.all(within.telling)
  }
}

/** What the passes of a call share. */
type Within = {
  readonly call: BegunCall
  /** What the function itself wants its passes to share. */
  readonly shared: unknown
  /** Events that are being recorded; the call waits for them at its end. */
  readonly telling: Promise<void>[]
}

const begin = async (definition: ReconcileFunction, context: CallContext): Promise<Within> => {
  const call = await begunCall(context)
  return { call, shared: definition.begin?.(call), telling: [] }
}

const passes = async (definition: ReconcileFunction, key: Key, within: Within): Promise<Outcome> => {
  const { call } = within
  const read = () => call.local.get({ ...definition.kind, ...key })
  const wrote = new OwnWrites()
  let reply: Outcome = { outcome: 'settled' }
  let hasReadAfresh = true
  let object = await read()
  if (!object) return takenAway(definition, key, within)
  for (let number = 1; object; number++) {
    const pass = await onePass(definition, object, within)
    call.log.debug({ pass: number, steps: pass.results.map(stepText), next: nextOf(pass) }, 'pass done')
    if (pass.scope.reusesReads) hasReadAfresh = false
    const hasMore = deservesAnotherPass(pass)
    reply = outcomeOf(pass, { hasMore })
    if (!hasMore || number === maxPasses || isSpent(call)) break
    wrote.willBeLookedAt(pass.results, pass.saved)
    object = objectAfter(object, pass) ?? (await read())
  }
  if (!object) return { outcome: 'settled' }
  return hasReadAfresh ? wrote.toldIn(reply) : reply
}

/** Of an object that is gone already. */
const takenAway = async (definition: ReconcileFunction, key: Key, within: Within): Promise<Outcome> => {
  const steps = (await definition.leftBehind?.(key, within.call)) ?? []
  const results = await performSteps(steps, reachOf(definition, {}, within.call))
  const plan: Plan = { steps, status: {}, events: [], next: settled }
  return outcomeOf({ plan, results, afterwards: [], report: { status: {} }, hasConflict: false }, { hasMore: false })
}

type Done = Pass & {
  readonly scope: PassScope
  /** The object after our steps, if one of them wrote to it. */
  readonly left?: KubeObject
  /** The object as the API server answered when its status was saved. */
  readonly saved?: KubeObject
}

const onePass = async (definition: ReconcileFunction, object: KubeObject, within: Within): Promise<Done> => {
  const { call, shared, telling } = within
  const fieldManager = definition.fieldManager ?? definition.name
  const world = await definition.gather(object, call, shared)
  const scope = definition.passScope?.(world, shared) ?? {}
  const plan = definition.decide(world, call.now())
  const reach = reachOf(definition, scope, call)
  const results = await performSteps(plan.steps, reach)
  const report = definition.report?.(world, plan, results, call.now()) ?? { status: plan.status }
  const left = leftBy(results, object)
  const { hasConflict, object: saved } = await saveStatus(object, report.status, {
    left,
    local: call.local,
    fieldManager,
  })
  call.measure?.(report.measured ?? [])
  const after = hasConflict ? undefined : report.afterwards
  const afterwards = await performSteps(after?.steps ?? [], reach)
  const teller = { clusters: reach.clusters, component: fieldManager, now: call.now(), log: call.log }
  telling.push(tellEvents(object, [...(report.events ?? plan.events), ...(after?.events(afterwards) ?? [])], teller))
  const done = { scope, plan, results, afterwards, report, hasConflict, left, saved }
  if (!saved && isAtRest(done)) scope.rested?.()
  return done
}

const reachOf = (definition: ReconcileFunction, scope: PassScope, call: BegunCall): PerformOptions => ({
  clusters: scope.clusters ?? call.clusters,
  fieldManager: definition.fieldManager ?? definition.name,
  mayContinue: () => !isSpent(call),
  issue: issueCertificates,
  makeData: secretData,
  runHook: scope.runHook,
  requestsInFlight: definition.requestsInFlight,
})

const isSpent = (call: Pick<BegunCall, 'lastPassAt'>): boolean => performance.now() >= call.lastPassAt

/**
 * The next pass needs no read: the answer to our own write is used, and if somebody else changed the object meanwhile, our
 * next write ends in a conflict. An object in deletion is read again, since our last write may have removed its last
 * finalizer.
 */
const objectAfter = (read: KubeObject, pass: Done): KubeObject | undefined => {
  const object = pass.saved ?? pass.left ?? (nextOf(pass).is === 'again' ? read : undefined)
  return object && !isDeleting(object) ? object : undefined
}

/** The object after our own steps: its status must be saved with the resourceVersion that they left. */
const leftBy = (results: readonly StepResult[], object: KubeObject): KubeObject | undefined =>
  results.findLast(
    ({ object: after, step }) => after?.metadata.uid === object.metadata.uid && !step.on && step.do !== 'hook',
  )?.object

/** Without the API server's message, which may quote a Secret; the report tells as much of it as may be told. */
const stepText = ({ step, changed, error }: StepResult): string => {
  const subject = 'target' in step ? step.target : 'object' in step ? step.object : step.into
  return `${step.do} ${refText(refOf(subject))}: ${error ? 'failed' : changed ? 'done' : 'already so'}`
}
