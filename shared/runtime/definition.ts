// The kinds of function: reconcile functions, which the relay calls, admission functions, which the API server calls, and callback
// functions, which other clusters call.
// Everything else about a function (events, access, timeout, concurrency, memory) is in serverless.yml.
import type { LaterObject } from '../component/reported/later-steps.ts'
import type { Measurement, Metric } from '../core/decisions/measurement.ts'
import type { PictureStep } from '../core/decisions/picture.ts'
import type { Plan, Report, Step, StepResult } from '../core/decisions/plan.ts'
import type { GroupVersionKind, Key, KubeObject } from '../core/objects/object.ts'
import type { NamedKind } from '../core/objects/resource-name.ts'
import type { ReadClusters } from '../kube/client-types.ts'
import type { RunHook, TakeSnapshot } from '../kube/writes/perform-step.ts'
import type { BegunCall, GatherContext } from './context.ts'

export type FunctionDefinition = ReconcileFunction | AdmissionFunction | CallbackFunction

export type ReconcileFunction<World = unknown, Shared = unknown, Decided extends Plan = Plan> = {
  does: 'reconcile'
  name: string
  /** The kind whose keys it is called with. */
  kind: NamedKind
  /** The field manager of its writes; absent: its name. */
  fieldManager?: string
  /**
   * It keeps the state of its objects: it says in their status that they are suspended, and removes the annotation that asks for a call.
   * Of the functions of a kind one at most does.
   */
  keepsState?: true
  /** How many steps are performed at once; see shared/kube/writes/perform-steps.ts. */
  requestsInFlight?: number
  /** What it measures, beside what is measured of every function. */
  metrics?: readonly Metric[]
  /** Pure: how a request of its calls is counted, such as one of the method `GET`. Absent: it is not. */
  countedRequest?(method: string): Measurement
  /** What it shows of the objects in the cluster. */
  seen?: SeenMetrics
  /** Called once per call: what all its passes share. */
  begin?(call: BegunCall): Shared
  /** Reads and nothing else; reads that do not depend on each other at once. */
  gather(object: KubeObject, context: GatherContext, shared: Shared): Promise<World>
  /** How the steps of this pass are performed. Absent: in the clusters of the process, without hooks. */
  passScope?(world: World, shared: Shared): PassScope
  /** Pure. */
  decide(world: World, now: Date): Decided
  /** Pure: the status after the steps were tried. Absent: the plan's own status is saved. */
  report?(world: World, plan: Decided, results: readonly StepResult[], now: Date): Report
  /** Pure, for people: how far a long process came. Absent: there is nothing to show. */
  picture?(plan: Decided): readonly PictureStep[] | undefined
  /** Pure, for plans: what follows when the steps of this pass are done and ready. Absent: nothing that is known now. */
  later?(world: World, plan: Decided, now: Date): readonly LaterStep[]
  /** What an object that is gone left behind: steps that take it away. Absent: nothing. */
  leftBehind?(key: Key, context: GatherContext): Promise<readonly Step[]>
  /** For events mapped `to: keys`: which objects of its kind are to be called because this object changed. */
  keys?(object: KubeObject, context: GatherContext, change: ChangeType): Promise<Key[]>
}

/** Gauges that are read from the cluster when they are scraped, so every replica shows the same, and nothing of what is gone. */
export type SeenMetrics = {
  readonly metrics: readonly Metric[]
  read(context: GatherContext): Promise<readonly Measurement[]>
}

/** An object, such as `Deployment shop/shop`, or a step of a long process, and the steps after which it comes. */
export type LaterStep =
  | LaterObject
  | { readonly does: 'step'; readonly object: string; readonly after: readonly string[] }

/** How an object changed; one that is deleted is shown as it was. */
export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** How the steps of one pass are performed, and what follows when there was nothing to do. */
export type PassScope = {
  /** The clusters that steps are performed in; absent: those of the process. */
  readonly clusters?: ReadClusters
  readonly runHook?: RunHook
  readonly takeSnapshot?: TakeSnapshot
  /**
   * The pass used what an earlier pass of the call read, so it may not have seen what the call wrote meanwhile: the call reports no own
   * writes, and their events call it again.
   */
  readonly reusesReads?: boolean
  /** Called after a pass that settled without writes, so that the next quiet call may read less (marks.ts). */
  markInOrder?(): void
}

export type AdmissionFunction = {
  does: 'review'
  name: string
  kind: GroupVersionKind
  review: Review
  /** For functions with both: answers the mutating webhooks. Absent: `review` answers all. */
  mutate?: Review
  /** Other kinds that `review` judges. */
  also?: readonly GroupVersionKind[]
  /** Validating webhooks, by their path below /webhooks/, that have a review of their own. */
  webhooks?: Readonly<Record<string, Pick<AdmissionFunction, 'kind' | 'also' | 'review'>>>
}

type Review = (request: AdmissionRequest, context: GatherContext) => Promise<AdmissionVerdict> | AdmissionVerdict

/** The request of an AdmissionReview, v1 and v1beta1 alike. */
export type AdmissionRequest = {
  readonly uid: string
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly kind: { group: string; version: string; kind: string }
  readonly resource: { group: string; version: string; resource: string }
  readonly subResource?: string
  readonly name?: string
  readonly namespace?: string
  readonly object: KubeObject | null
  readonly oldObject: KubeObject | null
  readonly dryRun: boolean
  readonly userInfo: { username?: string; groups?: string[]; [field: string]: unknown }
}

export type AdmissionVerdict =
  /** `object`: as it should be stored; the host answers the patch that leads to it. */
  | { allowed: true; object?: KubeObject; warnings?: string[] }
  | { allowed: false; code: number; reason: string; message: string; causes?: AdmissionCause[]; warnings?: string[] }

/** metav1.StatusCause. */
export type AdmissionCause = { reason: string; field: string; message: string }

/** Receives events from callers with a client certificate, and answers which objects each event affects. It writes nothing. */
export type CallbackFunction<Caller = unknown> = {
  does: 'receive'
  name: string
  /** Who calls, by the common name of its certificate; undefined: nobody that may. */
  callerOf(commonName: string, context: GatherContext): Promise<Caller | undefined>
  /** Whether a listener has this name. */
  isListening(name: string, context: GatherContext): Promise<boolean>
  /** Whom the event concerns, which comes as any JSON; undefined: it is no event. */
  concerned(event: unknown, caller: Caller, context: GatherContext): Promise<readonly ConcernedKeys[] | undefined>
}

/** Keys for the relay to call. */
export type ConcernedKeys = { readonly function: string; readonly keys: readonly Key[] }
