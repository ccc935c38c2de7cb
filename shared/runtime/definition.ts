// The two kinds of function. A folder under functions/ exports one definition; functions/index.ts lists them all;
// everything else about a function (events, access, timeout, concurrency, memory) stands in serverless.yml.

import type { GroupVersionKind, Key, KubeObject } from '../core/object.ts'
import type { EventNote, Next, Plan, StatusChange, StepResult } from '../core/plan.ts'
import type { Clusters } from '../kube/client-types.ts'
import type { RunHook } from '../kube/writes/perform-step.ts'
import type { BegunCall, GatherContext } from './context.ts'

export type FunctionDefinition = ReconcileFunction | AdmissionFunction

export type ReconcileFunction<World = unknown, Scope extends CallScope = CallScope, Decided extends Plan = Plan> = {
  does: 'reconcile'
  name: string
  /** The kind whose keys it is called with. */
  kind: GroupVersionKind
  /** What its writes go under; the name when absent. */
  fieldManager?: string
  /** How many steps are under way at once; see shared/kube/writes/perform-steps.ts. */
  requestsInFlight?: number
  /** Begins a call: the scope is handed to every pass of it. */
  begin?(call: BegunCall): Scope
  /** Reads only; independent reads at once. */
  gather(object: KubeObject, context: GatherContext, scope: Scope): Promise<World>
  /** Pure. */
  decide(world: World, now: Date): Decided
  /** Pure: what to say after the steps were tried. Absent: the plan's own status stands. */
  report?(world: World, plan: Decided, results: readonly StepResult[], now: Date): Report
  /** Which keys an object of another kind concerns: for events mapped `to: keys`. */
  keys?(object: KubeObject, context: GatherContext): Promise<Key[]>
}

/** `next` and `events` replace what the plan says of them. */
export type Report = {
  status: StatusChange
  next?: Next
  events?: readonly EventNote[]
}

/** What the passes of one call share. It is made anew for each call: losing it costs time and nothing else. */
export type CallScope = {
  /** Where steps lead; the clusters of the landscape when absent. */
  readonly clusters?: Clusters
  readonly runHook?: RunHook
  /** Later passes use what earlier ones read, so that the call's own writes may be news to the next call. */
  readonly reusesReads?: boolean
}

export type AdmissionFunction = {
  does: 'review'
  name: string
  kind: GroupVersionKind
  review: Review
  /** Answers the mutating webhooks of a function that has validating ones too. Absent: `review` answers all. */
  mutate?: Review
}

export type Review = (request: AdmissionRequest, context: GatherContext) => Promise<AdmissionVerdict> | AdmissionVerdict

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
  /** `object` as it should be stored: the host makes the patch of it. */
  | { allowed: true; object?: KubeObject; warnings?: string[] }
  | { allowed: false; code: number; reason: string; message: string; causes?: AdmissionCause[]; warnings?: string[] }

/** metav1.StatusCause. */
export type AdmissionCause = { reason: string; field: string; message: string }
