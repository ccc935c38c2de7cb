// What a pass over a component came to, as the table of states wants to know it.
import type { DependentsStatus } from './dependents-status.ts'

export const componentStates = ['Pending', 'Processing', 'Ready', 'Error', 'DeletionPending', 'Deleting'] as const
export type ComponentState = (typeof componentStates)[number]

/** What a pass came to. */
export type PassResult = {
  readonly now: Date
  readonly uid: string
  readonly deletionTimestamp?: string
  /** False: it is seen for the first time. */
  readonly hasStatus: boolean
  readonly isSuspended: boolean
  /** The component digest at work changed while something was unready. */
  readonly isRestarted: boolean
  /** Absent when the pass ended before the dependents were looked at. */
  readonly standing?: DependentsStatus
  /** What stopped the pass, or what a hook threw. */
  readonly trouble?: PassError
  /** Since when it is unready or failing, as it is now to be written; '' when it is not. */
  readonly processingSince: string
  /** The condition Ready before this pass; its time began anew with the last component digest. */
  readonly before?: { readonly status: string; readonly lastTransitionTime: string }
  readonly requeueSeconds: number
  readonly retrySeconds: number
  readonly timeoutSeconds: number
}

export type PassError =
  | { readonly is: 'retriable'; readonly message: string; readonly seconds?: number }
  | { readonly is: 'missingReference' | 'configuration' | 'conflict' | 'plain'; readonly message: string }
