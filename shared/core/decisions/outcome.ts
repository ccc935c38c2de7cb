// What a call of a function answers, and the relay obeys.

export type OutcomeName = 'settled' | 'waiting' | 'stalled' | 'failed'

export type Outcome = {
  outcome: OutcomeName
  requeueAfterSeconds?: number
  reason?: string
  /**
   * The states, as `versionText` spells them, in which this call left objects and has seen them since. For this key the relay
   * skips events that show one of them: the call reports rv=12, an event with rv=12 arrives: skipped.
   */
  wrote?: readonly string[]
}
