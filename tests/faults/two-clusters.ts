// A function that reaches another cluster by name. Here the other one lies behind the same proxy, so that whatever breaks, breaks on either
// way; what the function may do there is not said by its roles here, but by the access Secret, so it may do everything.
import type { BindableClusters, CallBounds, Client } from '../../shared/kube/client-types.ts'

/** `local` with the function's own rights, every other name with those of `far`. */
export const twoClusters = (local: Client, far: Client): BindableClusters => ({
  of: async name => (name === 'local' ? local : far),
  bound: (call: CallBounds) => twoClusters(local.bound(call), far.bound(call)),
})
