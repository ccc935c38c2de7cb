// A client some of whose methods a test changes. Clients that are bound to a call have the changes too.
import type { Client } from '../../../shared/kube/client-types.ts'

export const altered = (real: Client, change: (real: Client) => Partial<Client>): Client => ({
  ...real,
  ...change(real),
  bound: call => altered(real.bound(call), change),
})
