// The two kinds of function. A folder under functions/ exports one definition; functions/index.ts lists them all;
// everything else about a function (events, access, timeout, concurrency, memory) stands in serverless.yml.
import type { GroupVersionKind, Key, KubeObject } from '../core/object.ts'
import type { Plan, StatusChange, StepResult } from '../core/plan.ts'
import type { Clusters, Reads } from '../kube/client-types.ts'

export type FunctionDefinition = ReconcileFunction | AdmissionFunction

export type ReconcileFunction<World = unknown> = {
  does: 'reconcile'
  name: string
  /** The kind whose keys it is called with. */
  kind: GroupVersionKind
  /** Reads only; independent reads at once. */
  gather(object: KubeObject, context: GatherContext): Promise<World>
  /** Pure. */
  decide(world: World, now: Date): Plan
  /** Pure: what to say after the steps were tried. Absent: the plan's own status stands. */
  report?(world: World, plan: Plan, results: readonly StepResult[], now: Date): Report
  /** Which keys an object of another kind concerns: for events mapped `to: keys`. */
  keys?(object: KubeObject, context: GatherContext): Promise<Key[]>
}

/** `retrySeconds` replaces the relay's backoff after a failed step. */
export type Report = { status: StatusChange; retrySeconds?: number }

export type GatherContext = {
  readonly reads: Reads
  readonly clusters: Clusters
}

export type AdmissionFunction = {
  does: 'review'
  name: string
  kind: GroupVersionKind
  review(request: AdmissionRequest, context: GatherContext): Promise<Verdict> | Verdict
}

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

export type Verdict =
  /** `object` as it should be stored: the host makes the patch of it. */
  | { allowed: true; object?: KubeObject; warnings?: string[] }
  | { allowed: false; code: number; reason: string; message: string; causes?: Cause[]; warnings?: string[] }

/** metav1.StatusCause. */
export type Cause = { reason: string; field: string; message: string }
