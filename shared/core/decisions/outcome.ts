// The result of a call of a function. The relay uses the result to schedule the next call.

export type OutcomeName = 'settled' | 'waiting' | 'stalled' | 'failed'

export type Outcome = {
  outcome: OutcomeName
  requeueAfterSeconds?: number
  reason?: string
  /** Versions (`versionText`) that this call wrote and read back. The relay skips events for this key that show one of these versions. */
  wrote?: readonly string[]
}
