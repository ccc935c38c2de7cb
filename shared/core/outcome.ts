// The reply of a function call and the table by which the relay obeys it.

export type OutcomeName = 'settled' | 'waiting' | 'stalled' | 'failed'

/** The body of every 200 a function answers. */
export type Outcome = {
  outcome: OutcomeName
  requeueAfterSeconds?: number
  reason?: string
  /**
   * States that the call itself left objects in and has looked at since, as `versionText` spells them: an event that shows
   * just one of these is no news to the function, for this key.
   */
  wrote?: readonly string[]
}
