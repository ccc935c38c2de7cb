// A client of which a test changes some methods; whoever binds it to a call gets it changed too.
import type { Client } from '../../../shared/kube/client-types.ts'

export const altered = (real: Client, change: (real: Client) => Partial<Client>): Client => ({
  ...real,
  ...change(real),
  bound: call => altered(real.bound(call), change),
})
