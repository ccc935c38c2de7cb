// Calls for several components read together what they read at the same time. They share only reads of one cluster, identity and namespace
// of components. So nobody gets what only others may read, and a tenant waits only for reads of its own components.
import type { KubeObject } from '../../../core/objects/object.ts'
import type { ReadClient } from '../../../kube/client-types.ts'
import { sharingClient } from '../../../kube/shared-reads.ts'
import type { BegunCall } from '../../context.ts'
import type { ActingIdentity } from '../configuration/identity.ts'
import { localTarget } from '../target-cluster.ts'

type Reader = {
  readonly component: KubeObject
  readonly identity: ActingIdentity
  readonly begun: Pick<BegunCall, 'memory' | 'outside'>
}

/** `cluster`: the name of the cluster that the client reaches. */
export const sharingInNamespace = (
  client: ReadClient,
  cluster: string,
  { component, identity, begun: { memory, outside } }: Reader,
): ReadClient =>
  sharingClient(client, {
    reads: memory.reads,
    place: JSON.stringify([cluster, identity, component.metadata.namespace]),
    outside: cluster === localTarget ? undefined : outside,
  })
