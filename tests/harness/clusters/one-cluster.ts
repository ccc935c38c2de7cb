// Clusters for a function that reaches only one: every name leads to it.
import type { BindableClusters, Client } from '../../../shared/kube/client-types.ts'

export const oneCluster = (client: Client): BindableClusters => ({
  of: async () => client,
  bound: call => oneCluster(client.bound(call)),
})
