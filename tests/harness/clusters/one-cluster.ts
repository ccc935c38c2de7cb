// The clusters of a function that reaches one only, by whatever name it asks.
import type { BindableClusters, Client } from '../../../shared/kube/client-types.ts'

export const oneCluster = (client: Client): BindableClusters => ({
  of: async () => client,
  bound: call => oneCluster(client.bound(call)),
})
