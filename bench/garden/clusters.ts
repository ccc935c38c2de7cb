// A runtime cluster with the definition of Gardens and nothing else, in a process of its own.
import { gardenCrd } from '../../shared/api/garden/spec.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client, RequestNote } from '../../shared/kube/client-types.ts'
import { define } from '../../tests/harness/clusters/test-definitions.ts'
import { startWorker, type Worker } from '../measure/worker.ts'
import type { GardenClusters } from '../programs/garden-clusters.ts'

export type Ground = {
  readonly admin: Client
  readonly process: Worker<GardenClusters>
  /** Where the virtual garden is, once there is one. */
  readonly virtualGardenAddress: string
  clientWith(onRequest: (note: RequestNote) => void): Client
}

export const onNewCluster = async <T>(work: (ground: Ground) => Promise<T>): Promise<T> => {
  const process = startWorker<GardenClusters>('garden-clusters.ts')
  const { url, caCert, adminToken, port } = await process.ask('begin')
  const clientWith = (onRequest?: (note: RequestNote) => void) =>
    createClient({ server: url, credentials: () => ({ ca: caCert, token: adminToken }) }, { onRequest })
  const admin = clientWith()
  try {
    await define(admin, gardenCrd() as KubeObject)
    return await work({ admin, process, clientWith, virtualGardenAddress: `127.0.0.1:${port}` })
  } finally {
    await admin.close()
    await process.end()
  }
}
