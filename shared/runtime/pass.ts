// One pass: gather, decide, perform, report, save, and then what follows a saved status: further steps, and Events. Measurements are of
// what the steps came to, so they count before anything follows, also where the status cannot be saved.
import type { EventNote, Step, StepResult } from '../core/decisions/plan.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { performSteps } from '../kube/writes/perform-steps.ts'
import { issueCertificates } from '../outside/certificates.ts'
import { secretData } from '../outside/secret-data.ts'
import type { BegunCall } from './context.ts'
import type { PassScope, ReconcileFunction } from './definition.ts'
import { isAtRest, type Pass } from './outcome-of.ts'
import { recordPassEvents } from './pass-events.ts'
import { saveStatus } from './save-status.ts'

/** A call of a function, as all its passes have it. */
export type FunctionCall = {
  readonly definition: ReconcileFunction
  readonly call: BegunCall
  /** What the function itself wants its passes to share. */
  readonly shared: unknown
  /** Events that are being recorded; the call waits for them at its end. */
  readonly recording: Promise<void>[]
}

export type DonePass = Pass & {
  /** As in PassScope. */
  readonly reusesReads?: boolean
  /** The object as a step of ours changed it; undefined: none did. */
  readonly stepped?: KubeObject
  /** The object as the API server answered when its status was saved. */
  readonly saved?: KubeObject
}

export const onePass = async (object: KubeObject, of: FunctionCall): Promise<DonePass> => {
  const { definition, call, shared } = of
  const world = await definition.gather(object, call, shared)
  const scope = definition.passScope?.(world, shared) ?? {}
  const plan = definition.decide(world, call.now())
  const results = await perform(plan.steps, of, scope)
  const report = definition.report?.(world, plan, results, call.now()) ?? { status: plan.status }
  call.measure?.(report.measured ?? [])
  const stepped = changedIn(results, object)
  const writer = { stepped, local: call.local, fieldManager: managerOf(definition) }
  const { hasConflict, object: saved } = await saveStatus(object, report.status, writer)
  const afterwards = hasConflict ? [] : await perform(report.afterwards?.steps ?? [], of, scope)
  const pass = { plan, results, report, hasConflict, afterwards, stepped, saved, reusesReads: scope.reusesReads }
  const followed = hasConflict ? {} : (report.afterwards?.report?.(afterwards) ?? {})
  call.measure?.(followed.measured ?? [])
  record([...(report.events ?? plan.events), ...(followed.events ?? [])], { object, of, scope })
  if (!saved && isAtRest(pass)) scope.rested?.()
  return pass
}

/** Performs steps of a pass, or such as belong to none. */
export const perform = (
  steps: readonly Step[],
  { definition, call }: FunctionCall,
  { clusters = call.clusters, runHook }: PassScope = {},
): Promise<StepResult[]> =>
  performSteps(steps, {
    clusters,
    fieldManager: managerOf(definition),
    mayContinue: () => !isSpent(call),
    issue: issueCertificates,
    makeData: secretData,
    runHook,
    requestsInFlight: definition.requestsInFlight,
  })

/** No further step and no further pass is begun. */
export const isSpent = ({ lastPassAt }: Pick<BegunCall, 'lastPassAt'>): boolean => performance.now() >= lastPassAt

const managerOf = ({ fieldManager, name }: ReconcileFunction): string => fieldManager ?? name

/** Its status must be saved with the resourceVersion that our own steps left. */
const changedIn = (results: readonly StepResult[], { metadata: { uid } }: KubeObject): KubeObject | undefined =>
  results.findLast(({ object, step }) => object?.metadata.uid === uid && !step.on && step.do !== 'hook')?.object

type Recording = { readonly object: KubeObject; readonly of: FunctionCall; readonly scope: PassScope }

const record = (events: readonly EventNote[], { object, of, scope }: Recording): void => {
  const { definition, call, recording } = of
  const by = { component: managerOf(definition), rates: call.memory.eventRates, now: call.now(), log: call.log }
  recording.push(recordPassEvents(object, events, { ...by, clusters: scope.clusters ?? call.clusters }))
}
