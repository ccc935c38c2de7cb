// What a call of a function answers, and the relay obeys.

export type OutcomeName = 'settled' | 'waiting' | 'stalled' | 'failed'

export type Outcome = {
  outcome: OutcomeName
  requeueAfterSeconds?: number
  reason?: string
  /** States (`versionText`) that this call wrote and has seen since. The relay skips events for this key that show one of them. */
  wrote?: readonly string[]
}
