// The result of a pass over a component. state-rows.ts derives the state from the result.
import type { DependentsStatus } from './dependents-status.ts'

export const componentStates = ['Pending', 'Processing', 'Ready', 'Error', 'DeletionPending', 'Deleting'] as const
export type ComponentState = (typeof componentStates)[number]

export type PassResult = {
  readonly now: Date
  readonly uid: string
  readonly deletionTimestamp?: string
  /** False for a new component. */
  readonly hasStatus: boolean
  readonly isSuspended: boolean
  /** The component changed while its dependents were not ready. */
  readonly isRestarted: boolean
  /** Absent when the pass ended before the dependents were read. */
  readonly dependents?: DependentsStatus
  readonly error?: PassError
  /** The time since when the component is not ready; '' when the component is ready. This pass writes the time into the status. */
  readonly processingSince: string
  /** The condition Ready before this pass. A new component digest resets its time. */
  readonly before?: { readonly status: string; readonly lastTransitionTime: string }
  readonly requeueSeconds: number
  readonly retrySeconds: number
  readonly timeoutSeconds: number
}

export type PassError =
  | { readonly is: 'retriable'; readonly message: string; readonly seconds?: number }
  | {
      readonly is: 'missingReference' | 'configuration' | 'conflict' | 'plain'
      readonly message: string
      readonly code?: number
    }
