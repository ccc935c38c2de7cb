// What a function decides, as data: the writes it wants, the status it reports, and when it wants to be called again.
// shared/kube/apply.ts performs the steps; shared/runtime/reconcile.ts drives them.
import type { ClusterName, KubeObject, ObjectRef } from './object.ts'

export type Plan = {
  /** A step without `on` is for the local cluster. Independent of each other: they run at once, and one failing does not stop the others. */
  readonly steps: readonly Step[]
  /** Merged into `.status` after the steps, in one patch, and only if something differs. Lists are replaced whole. */
  readonly status: StatusChange
  readonly events: readonly EventNote[]
  readonly next: Next
}

export type Step =
  /** Server-side apply; `force` takes fields over from other managers: only for fields that are ours by contract. */
  (
    | { do: 'apply'; object: KubeObject; force?: boolean }
    | { do: 'delete'; target: Observed; propagation?: 'Foreground' | 'Background' | 'Orphan' }
    | { do: 'addFinalizer' | 'removeFinalizer'; target: Observed; finalizer: string }
    | { do: 'patch'; target: Observed; merge: Record<string, unknown> }
    | { do: 'issueCertificates'; into: KubeObject; for: CertificateRequest }
  ) & { on?: ClusterName }

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

/** A line for people in the object's Events; repeated ones are counted, not multiplied. */
export type EventNote = { type: 'Normal' | 'Warning'; reason: string; message: string }

export type Next =
  /** `againSeconds`: look again then even if nothing happens. */
  | { is: 'settled'; againSeconds?: number }
  | { is: 'waiting'; seconds: number; for: string }
  | { is: 'stalled'; reason: string }

/** What became of one step. `changed` is false when the cluster already had it so. */
export type StepResult = { step: Step; changed: boolean; object?: KubeObject; error?: StepError }

export type StepError = {
  message: string
  isConflict: boolean
  isRetriable: boolean
  retryAfterSeconds?: number
  ref: ObjectRef
}

export const settled: Next = { is: 'settled' }
