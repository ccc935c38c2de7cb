// What a function decides, as data: the writes it wants, the status it reports, and when it wants to be called again.
// shared/kube/writes/perform-steps.ts performs the steps; shared/runtime/reconcile.ts drives them.
import type { ClusterName, KubeObject, ObjectRef } from '../objects/object.ts'
import type { SecretRecipe } from '../objects/secret-recipe.ts'
import type { Measurement } from './measurement.ts'

export type Plan = {
  /** A step without `on` is for the local cluster. Those of one order run at once, and one failing does not stop the others. */
  readonly steps: readonly Step[]
  /** Merged into `.status` and saved by one PUT after the steps, only if something differs. Lists are replaced whole. */
  readonly status: StatusChange
  readonly events: readonly EventNote[]
  readonly next: Next
}

/** If present, `next` and `events` replace those of the plan. */
export type Report = {
  status: StatusChange
  afterwards?: Afterwards
  next?: Next
  events?: readonly EventNote[]
  measured?: readonly Measurement[]
}

/** Writes that follow the saved status, such as a copy of it in another cluster. If one fails, `next` does not count. */
type Afterwards = {
  readonly steps: readonly Step[]
  /** Pure: Events and measurements of their results, beside those of the report. Absent: there are none. */
  report?(results: readonly StepResult[]): Pick<Report, 'events' | 'measured'>
}

export type Step =
  /**
   * Server-side apply. `force` takes over fields of other managers, only for fields that are ours by contract. `reclaimFrom` first
   * makes us the owner of all fields of managers whose names begin so, and of what we wrote by other verbs: fields that the object
   * does not hold are then removed.
   */
  (
    | { do: 'apply'; object: KubeObject; force?: boolean; reclaimFrom?: readonly string[] }
    /** A conflict when the object already exists. `isOfNewKind`: its kind may have been defined a moment ago. */
    | { do: 'create'; object: KubeObject; isOfNewKind?: true }
    /** Replaces the whole object and keeps the target's finalizers. Bound to the object's resourceVersion, else to the target's. */
    | { do: 'replace'; object: KubeObject; target: Observed }
    | { do: 'delete'; target: Observed; propagation?: 'Foreground' | 'Background' | 'Orphan' }
    | { do: 'addFinalizer'; target: Observed; finalizer: string }
    | { do: 'removeFinalizer'; target: Observed; finalizer: string }
    /** A merge patch of the object, or of its status alone. */
    | { do: 'patch'; target: Observed; merge: Record<string, unknown>; subresource?: 'status' }
    | { do: 'issueCertificates'; into: KubeObject; for: CertificateRequest }
    /** Makes a Secret with its content, unless one of this name is there: that one is used as it is. */
    | { do: 'createSecret'; object: KubeObject; recipe: SecretRecipe }
    | { do: 'hook'; point: HookPoint; object: KubeObject }
    /** Has the backup sidecar of this Etcd store a full snapshot. */
    | { do: 'takeSnapshot'; object: KubeObject }
  ) & {
    on?: ClusterName
    /** Whose write it is; the function's own field manager when absent. */
    fieldManager?: string
    /** Steps with a lower order come first, even if they fail; 0 when absent. */
    order?: number
    /** A conflict is a passing trouble of this step alone: the call goes on, and its report says when the step is tried again. */
    isConflictPassing?: true
    /** The object may hold text of a Secret, so the API server's messages about it are not quoted. */
    isConfidential?: boolean
  }

export type HookPoint = 'postRead' | 'preReconcile' | 'postReconcile' | 'preDelete' | 'postDelete'

/** An object as it was read: steps that change it are bound to its uid and resourceVersion. */
export type Observed = KubeObject

/**
 * What to renew in a Secret of type kubernetes.io/tls. Keys are random, so they are made when the step is performed. `ca.crt` holds
 * all trusted authorities, the newest first; `ca.key` is the key of the newest one, which signs `tls.crt`.
 */
export type CertificateRequest = {
  renew: readonly ('authority' | 'serving')[]
  commonName: string
  names: readonly string[]
  authorityDays: number
  servingDays: number
  /** The certificate proves to servers who calls them, too. */
  isForClientsToo?: true
  /** The Secret of the authority that signs, if it is not this one; its key stays there. */
  signer?: ObjectRef
}

export type StatusChange = Record<string, unknown>

/**
 * An Event for people. A repeated Event increases its count. An Event with an `occasion` is recorded once for that occasion. `regarding` is an object in the cluster `on`; the object of the call when absent.
 */
export type EventNote = {
  type: 'Normal' | 'Warning'
  reason: string
  message: string
  /** More than the message, for the log alone. */
  detail?: string
  occasion?: string
  regarding?: KubeObject
  on?: ClusterName
}

export type Next =
  /** `againSeconds`: call again after so long even if nothing happens. */
  | { is: 'settled'; againSeconds?: number }
  | { is: 'waiting'; seconds: number; for: string }
  | { is: 'stalled'; reason: string }
  /** Something failed that is no step. Without `seconds` the caller waits as after any failure. */
  | { is: 'failed'; seconds?: number; reason: string }
  /** There is more to do and nothing to wait for: gather and decide again, in this call if its time allows. */
  | { is: 'again' }

/** The result of one step. `changed` is false when the cluster was already as desired. */
export type StepResult = { step: Step; changed: boolean; object?: KubeObject; error?: StepError }

export type StepError = {
  message: string
  /** What the API server said, where the message is a part of it. For the log alone. */
  full?: string
  isConflict: boolean
  isRetriable: boolean
  retryAfterSeconds?: number
  /** The API server's HTTP code; absent: no API server answered. */
  code?: number
  ref: ObjectRef
  /** The error of a definition's own code, for callers that read more than its message. */
  cause?: unknown
}

export const settled: Next = { is: 'settled' }
