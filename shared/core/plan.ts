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

/** A CA and a serving certificate signed by it, made where the Secret is written because keys are random. */
export type CertificateRequest = {
  commonName: string
  dnsNames: readonly string[]
  validDays: number
  keepCa?: boolean
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
