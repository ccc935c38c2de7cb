// The decision of a function as data. shared/kube/writes/perform-steps.ts performs the steps.
import type { ClusterName, KubeObject, ObjectRef } from '../objects/object.ts'
import type { SecretRecipe } from '../objects/secret-text.ts'
import type { Measurement } from './measurement.ts'

export type Plan = {
  /** Steps of the same order run concurrently; a failed step does not stop the others. */
  readonly steps: readonly Step[]
  /** Merged into `.status` and saved by one PUT after the steps, only if something differs. Lists are replaced whole. */
  readonly status: StatusChange
  readonly events: readonly EventNote[]
  readonly next: Next
}

/** If present, `next` and `events` replace `next` and `events` of the plan. */
export type Report = {
  status: StatusChange
  afterwards?: Afterwards
  next?: Next
  events?: readonly EventNote[]
  measured?: readonly Measurement[]
}

/** Steps that run after the status is saved, such as a copy of the status in another cluster. If a step fails, `next` is ignored. */
type Afterwards = {
  readonly steps: readonly Step[]
  /** Pure. Returns more Events and measurements, in addition to the Events and measurements of the report. */
  report?(results: readonly StepResult[]): Pick<Report, 'events' | 'measured'>
}

export type Step =
  /**
   * Server-side apply. `force` takes over fields of other managers; use it only for fields that are ours by contract. `reclaimFrom` first
   * makes us the owner of all fields of managers with these prefixes, and of fields that we wrote by other verbs. The apply then removes
   * such fields if the object does not contain them.
   */
  (
    | { do: 'apply'; object: KubeObject; force?: boolean; reclaimFrom?: readonly string[] }
    /** Fails with a conflict if the object exists. `isOfNewKind`: the kind may have been defined a moment ago. */
    | { do: 'create'; object: KubeObject; isOfNewKind?: true }
    /** Replaces the whole object and keeps the target's finalizers. Bound to the object's resourceVersion, or else to the target's. */
    | { do: 'replace'; object: KubeObject; target: Observed }
    | { do: 'delete'; target: Observed; propagation?: 'Foreground' | 'Background' | 'Orphan' }
    | { do: 'addFinalizer'; target: Observed; finalizer: string }
    | { do: 'removeFinalizer'; target: Observed; finalizer: string }
    /** A merge patch of the object, or of its status alone. */
    | { do: 'patch'; target: Observed; merge: Record<string, unknown>; subresource?: 'status' }
    | { do: 'issueCertificates'; into: KubeObject; for: CertificateRequest }
    /** Creates a Secret with generated content. An existing Secret of this name is used unchanged. */
    | { do: 'createSecret'; object: KubeObject; recipe: SecretRecipe }
    | { do: 'hook'; point: HookPoint; object: KubeObject }
    /** Asks the backup sidecar of this Etcd for a full snapshot. */
    | { do: 'takeSnapshot'; object: KubeObject }
  ) & {
    on?: ClusterName
    /** Default: the function's own field manager. */
    fieldManager?: string
    /** Steps with a lower order run first, even if they fail. Default: 0. */
    order?: number
    /** A conflict fails only this step. The call continues, and its report decides when the step is tried again. */
    isConflictPassing?: true
    /** The object may contain text of a Secret, so messages of the API server about it are not quoted. */
    isConfidential?: boolean
  }

export const hookPoints = ['postRead', 'preReconcile', 'postReconcile', 'preDelete', 'postDelete'] as const

export type HookPoint = (typeof hookPoints)[number]

/** An object as it was read: steps that change it are bound to its uid and resourceVersion. */
export type Observed = KubeObject

/**
 * What to renew in a Secret of type kubernetes.io/tls. Keys are random, so they are generated when the step is performed. `ca.crt` holds
 * all trusted authorities, newest first. `ca.key` is the key of the newest authority, which signs `tls.crt`.
 */
export type CertificateRequest = {
  renew: readonly ('authority' | 'serving')[]
  commonName: string
  names: readonly string[]
  authorityDays: number
  servingDays: number
  /** The certificate is also valid as a client certificate. */
  isForClientsToo?: true
  /** The Secret of the signing authority, if it is not this Secret. The key of the authority is not copied. */
  signer?: ObjectRef
}

export type StatusChange = Record<string, unknown>

/**
 * An Event for people. A repeated Event increases its count. An Event with an `occasion` is recorded once for this occasion. `regarding`
 * is an object in the cluster `on`. Default: the object of the call.
 */
export type EventNote = {
  type: 'Normal' | 'Warning'
  reason: string
  message: string
  /** Details for the log only. */
  detail?: string
  occasion?: string
  regarding?: KubeObject
  on?: ClusterName
}

export type Next =
  /** `againSeconds`: the next call comes after this time, even without an event. */
  | { is: 'settled'; againSeconds?: number }
  | { is: 'waiting'; seconds: number; for: string }
  | { is: 'stalled'; reason: string }
  /** Something other than a step failed. Without `seconds` the relay backs off as after any failure. */
  | { is: 'failed'; seconds?: number; reason: string }
  /** More can be done at once: gather and decide again, in this call if its time allows. */
  | { is: 'again' }

/** `changed` is false when the cluster was already as desired. */
export type StepResult = { step: Step; changed: boolean; object?: KubeObject; error?: StepError }

export type StepError = {
  message: string
  /** The full text of the API server if `message` is shortened. For the log only. */
  full?: string
  isConflict: boolean
  isRetriable: boolean
  retryAfterSeconds?: number
  /** HTTP status of the API server; absent when no API server answered. */
  code?: number
  ref: ObjectRef
  cause?: unknown
}

export const settled: Next = { is: 'settled' }

/** A step of a long process, for display. */
export type PictureStep = {
  readonly name: string
  readonly needs: readonly string[]
  /** `blocked`: a step in `needs` is not ready. `skipped`: the step does not apply now. */
  readonly is: 'ready' | 'open' | 'blocked' | 'skipped'
  /** What an open step waits for, in sentences; empty for all other steps. */
  readonly waits: readonly string[]
}
