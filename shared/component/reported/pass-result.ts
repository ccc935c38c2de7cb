// The result of a pass over a component, from which state-rows.ts chooses the state.
import type { DependentsStatus } from './dependents-status.ts'

export const componentStates = ['Pending', 'Processing', 'Ready', 'Error', 'DeletionPending', 'Deleting'] as const
export type ComponentState = (typeof componentStates)[number]

export type PassResult = {
  readonly now: Date
  readonly uid: string
  readonly deletionTimestamp?: string
  /** False: the component is seen for the first time. */
  readonly hasStatus: boolean
  readonly isSuspended: boolean
  /** The component changed while its dependents were not ready yet. */
  readonly isRestarted: boolean
  /** Absent: the pass ended before the dependents were read. */
  readonly dependents?: DependentsStatus
  readonly error?: PassError
  /** Since when it is not ready, as this pass writes it; '': it is ready. */
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
