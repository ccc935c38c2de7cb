// The clusters of a Garden in a process of their own, so that the caller's CPU and memory are those of the function: an embedded runtime
// cluster with stand-ins, and the virtual garden that these start.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { type EmbeddedCluster, startEmbeddedCluster } from '../../shared/embedded/start.ts'
import { atOnce } from '../../shared/kube/at-once.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { runGardenStandIns } from '../../shared/main/start/stand-ins.ts'
import { freePorts } from '../../tests/harness/processes/ports.ts'
import { virtualGardenOf } from '../garden/virtual-garden.ts'
import { serveParent } from '../measure/worker.ts'

let began: { cluster: EmbeddedCluster; runtime: Client; port: number; sidecarPort: number } | undefined

const ground = () => {
  if (began === undefined) throw new Error('there are no clusters yet')
  return began
}

const commands = {
  begin: async () => {
    const cluster = await startEmbeddedCluster({ node: true, resolveService: () => 'allows' })
    const [port = 0, sidecarPort = 0] = await freePorts(2)
    const { url, caCert, adminToken } = cluster
    const runtime = createClient({ server: url, credentials: () => ({ ca: caCert, token: adminToken }) })
    began = { cluster, runtime, port, sidecarPort }
    return { url, caCert, adminToken, port }
  },
  runStandIns: (): void => {
    const { cluster, port, sidecarPort } = ground()
    runGardenStandIns(cluster, { host: '127.0.0.1', port, sidecarPort })
  },
  /** Grows with every change in the runtime cluster. */
  revision: (): string => ground().cluster.resourceVersion(),
  /** Makes so many Secrets in the virtual garden. */
  fillVirtualGarden: async (secrets: number): Promise<void> => {
    const client = await virtualGardenOf(ground().runtime, `127.0.0.1:${ground().port}`)
    const data = { text: Buffer.alloc(500, 'x').toString('base64') }
    const names = Array.from({ length: secrets }, (_, number) => `of-somebody-${number}`)
    const creations = names.map(name => () => client.create({ ...secret(name), data }, { fieldManager: 'somebody' }))
    await atOnce(creations, 16)
  },
}

const secret = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
})

export type GardenClusters = typeof commands

serveParent(commands)
