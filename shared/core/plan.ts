// What a function decides, as data: the writes it wants, the status it reports, and when it wants to be called again.
// shared/kube/writes/perform-steps.ts performs the steps; shared/runtime/reconcile.ts drives them.
import type { ClusterName, KubeObject, ObjectRef } from './object.ts'

export type Plan = {
  /** A step without `on` is for the local cluster. Those of one order run at once, and one failing does not stop the others. */
  readonly steps: readonly Step[]
  /** Merged into `.status` after the steps, in one patch, and only if something differs. Lists are replaced whole. */
  readonly status: StatusChange
  readonly events: readonly EventNote[]
  readonly next: Next
}

export type Step =
  /**
   * Server-side apply. `force` takes fields over from other managers: only for fields that are ours by contract. With
   * `reclaimFrom`, all that managers own whose names begin so becomes ours first, and what we wrote by other verbs:
   * it goes when the object does not hold it any more.
   */
  (
    | { do: 'apply'; object: KubeObject; force?: boolean; reclaimFrom?: readonly string[] }
    /** A conflict where there is one already. */
    | { do: 'create'; object: KubeObject }
    /** The whole object; the target's finalizers stay. Bound to the object's resourceVersion, else the target's. */
    | { do: 'replace'; object: KubeObject; target: Observed }
    | { do: 'delete'; target: Observed; propagation?: 'Foreground' | 'Background' | 'Orphan' }
    | { do: 'addFinalizer' | 'removeFinalizer'; target: Observed; finalizer: string }
    | { do: 'patch'; target: Observed; merge: Record<string, unknown> }
    | { do: 'issueCertificates'; into: KubeObject; for: CertificateRequest }
    /** What the developer of the kind wants done at this point of an object's life, beside what is declared. */
    | { do: 'hook'; point: HookPoint; object: KubeObject }
  ) & {
    on?: ClusterName
    /** Lower ones are done before higher ones, whatever became of them; 0 when not given. */
    order?: number
    /** What is written may hold text of a Secret: what the API server says of it is not told as it says it. */
    isConfidential?: boolean
  }

export type HookPoint = 'preReconcile' | 'postReconcile' | 'preDelete' | 'postDelete'

/** An object as it was read: steps that change it are bound to its uid and resourceVersion. */
export type Observed = KubeObject

/**
 * What is made anew in a Secret of type kubernetes.io/tls, where it is written, because keys are random. `ca.crt` holds
 * all authorities to be trusted, the newest first; `ca.key` is the newest one's and signs what is in `tls.crt`.
 */
export type CertificateRequest = {
  renew: readonly ('authority' | 'serving')[]
  commonName: string
  /** DNS names and IP addresses that the serving certificate is good for. */
  names: readonly string[]
  authorityDays: number
  servingDays: number
}

export type StatusChange = Record<string, unknown>

/**
 * A line for people in the object's Events; repeated ones are counted, not multiplied. `regarding` is another object
 * than that of the call, in the cluster `on`.
 */
export type EventNote = {
  type: 'Normal' | 'Warning'
  reason: string
  message: string
  regarding?: KubeObject
  on?: ClusterName
}

export type Next =
  /** `againSeconds`: look again then even if nothing happens. */
  | { is: 'settled'; againSeconds?: number }
  | { is: 'waiting'; seconds: number; for: string }
  | { is: 'stalled'; reason: string }
  /** Without a step having failed. */
  | { is: 'failed'; seconds: number; reason: string }
  /** The plan is not at its end though nothing waits: look and decide once more, in this call if its time allows. */
  | { is: 'again' }

/** What became of one step. `changed` is false when the cluster already had it so. */
export type StepResult = { step: Step; changed: boolean; object?: KubeObject; error?: StepError }

export type StepError = {
  message: string
  isConflict: boolean
  isRetriable: boolean
  retryAfterSeconds?: number
  ref: ObjectRef
  /** What was thrown where the developer's own code ran, for who can tell more from it than its message. */
  cause?: unknown
}

export const settled: Next = { is: 'settled' }
