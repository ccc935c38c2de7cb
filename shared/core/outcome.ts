// The reply of a function call and the table by which the relay obeys it.

export type OutcomeName = 'settled' | 'waiting' | 'stalled' | 'failed'

/** The body of every 200 a function answers. */
export type Outcome = { outcome: OutcomeName; requeueAfterSeconds?: number; reason?: string }
