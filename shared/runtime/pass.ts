// One pass: gather, decide, perform, report, save, and then steps and Events that follow the saved status. Measurements are recorded even
// if the status cannot be saved, because they count the steps.
import { type EventNote, type Step, type StepResult, settled } from '../core/decisions/plan.ts'
import { resumed, suspendedStatus, suspensionOf } from '../core/decisions/suspension.ts'
import { mapOrEmpty } from '../core/json/json.ts'
import { type KubeObject, refOf } from '../core/objects/object.ts'
import { writable, writableClusters } from '../kube/clusters/read-only.ts'
import { performSteps } from '../kube/writes/perform-steps.ts'
import { issueCertificates, secretData } from '../outside/certificates.ts'
import type { BegunCall } from './context.ts'
import type { PassScope, ReconcileFunction } from './definition.ts'
import { isAtRest, type Pass } from './outcome-of.ts'
import { recordPassEvents } from './pass-events.ts'
import { saveStatus } from './save-status.ts'

export type FunctionCall = {
  readonly definition: ReconcileFunction
  readonly call: BegunCall
  /** The function's state for all passes. */
  readonly shared: unknown
  /** Events by text. Each Event is recorded once per call. The call waits for all Events at its end. */
  readonly recording: Map<string, Promise<void>>
}

export type DonePass = Pass & {
  readonly reusesReads?: boolean
  /** The object after our steps; undefined when no step changed it. */
  readonly stepped?: KubeObject
  /** The object after its status was saved, or after a later step. */
  readonly saved?: KubeObject
}

export const onePass = async (object: KubeObject, functionCall: FunctionCall): Promise<DonePass> => {
  const { definition, call, shared } = functionCall
  call.beginPass()
  const suspension = suspensionOf(object, { keepsState: definition.keepsState === true })
  if (suspension !== undefined) return leftAlone(object, suspension, functionCall)
  const seen = definition.keepsState ? resumed(object) : object
  const world = await definition.gather(seen, call, shared)
  const scope = definition.passScope?.(world, shared) ?? {}
  const plan = definition.decide(world, call.now())
  const picture = definition.picture?.(plan)
  if (picture) call.pictured?.(picture)
  if (definition.certificates) call.certified?.(definition.certificates(world))
  const results = await perform(plan.steps, functionCall, scope)
  const report = definition.report?.(world, plan, results, call.now()) ?? { status: plan.status }
  call.measure?.(report.measured ?? [])
  const stepped = changedIn(results, object)
  const writer = { stepped, local: writable(call.local), fieldManager: managerOf(definition) }
  const status = seen === object ? report.status : { conditions: mapOrEmpty(seen.status).conditions, ...report.status }
  const { hasConflict, object: answer } = await saveStatus(object, status, writer)
  const afterwards = hasConflict ? [] : await perform(report.afterwards?.steps ?? [], functionCall, scope)
  const saved = changedIn(afterwards, object) ?? answer
  const pass = { plan, results, report, hasConflict, afterwards, stepped, saved, reusesReads: scope.reusesReads }
  const followed = hasConflict ? {} : (report.afterwards?.report?.(afterwards) ?? {})
  call.measure?.(followed.measured ?? [])
  record([...(report.events ?? plan.events), ...(followed.events ?? [])], { object, functionCall, scope })
  if (!saved && isAtRest(pass)) scope.markInOrder?.(object)
  return pass
}

/** The pass for a suspended object, which only reports the suspension. */
const leftAlone = async (object: KubeObject, suspension: string, functionCall: FunctionCall): Promise<DonePass> => {
  const { definition, call } = functionCall
  const status = definition.keepsState ? suspendedStatus(object, suspension, call.now()) : {}
  const writer = { stepped: undefined, local: writable(call.local), fieldManager: managerOf(definition) }
  const { hasConflict, object: saved } = await saveStatus(object, status, writer)
  const plan = { steps: [], status, events: [], next: settled }
  return { plan, results: [], report: { status }, hasConflict, afterwards: [], saved }
}

/** `mayContinue`: whether another step may start. Default: as long as the call has time. */
type PerformScope = PassScope & { readonly mayContinue?: () => boolean }

export const perform = (
  steps: readonly Step[],
  { definition, call }: FunctionCall,
  { clusters = call.clusters, runHook, takeSnapshot, mayContinue = () => !isSpent(call) }: PerformScope = {},
): Promise<StepResult[]> =>
  performSteps(steps, {
    clusters: writableClusters(clusters),
    fieldManager: managerOf(definition),
    mayContinue,
    issue: issueCertificates,
    makeData: secretData,
    runHook,
    takeSnapshot,
    requestsInFlight: definition.requestsInFlight,
  })

export const isSpent = ({ lastPassAt }: Pick<BegunCall, 'lastPassAt'>): boolean => performance.now() >= lastPassAt

export const managerOf = ({ fieldManager, name }: Pick<ReconcileFunction, 'fieldManager' | 'name'>): string =>
  fieldManager ?? name

/** The object after our own steps. The status write needs its resourceVersion. */
const changedIn = (results: readonly StepResult[], { metadata: { uid } }: KubeObject): KubeObject | undefined =>
  results.findLast(({ object, step }) => object?.metadata.uid === uid && !step.on && step.do !== 'hook')?.object

type Recording = { readonly object: KubeObject; readonly functionCall: FunctionCall; readonly scope: PassScope }

const record = (events: readonly EventNote[], { object, functionCall, scope }: Recording): void => {
  const { definition, call, recording } = functionCall
  const { eventRates, writtenEvents } = call.memory
  const memory = { rates: eventRates, written: writtenEvents }
  const clusters = writableClusters(scope.clusters ?? call.clusters)
  const recorder = { ...memory, clusters, component: managerOf(definition), now: call.now(), log: call.log }
  for (const event of events) {
    const text = JSON.stringify({ ...event, regarding: event.regarding && refOf(event.regarding) })
    if (!recording.has(text)) recording.set(text, recordPassEvents(object, [event], recorder))
  }
}
