// The embedded cluster in a process of its own, which is started with --expose-gc so that its memory can be told.
import { serveParent } from '../measure/worker.ts'

const commands = {
  begin: async () => {
    const { startEmbeddedCluster } = await import('../../shared/embedded/start.ts')
    const { url, caData, adminToken } = await startEmbeddedCluster()
    return { url, caData, token: adminToken }
  },
  /** From a process that has loaded nothing of it to one that answers. */
  startMilliseconds: async (): Promise<number> => {
    const began = performance.now()
    const { startEmbeddedCluster } = await import('../../shared/embedded/start.ts')
    const { stop } = await startEmbeddedCluster()
    const milliseconds = performance.now() - began
    await stop()
    return milliseconds
  },
  /** What is still in use after garbage is collected: the heap and what it holds outside of it. */
  heldMegabytes: (): number => {
    // Twice: what the first collection lets go of outside the heap is counted down by the second.
    for (let times = 0; times < 2; times++) globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    return (heapUsed + external) / 1e6
  },
}

export type EmbeddedServer = typeof commands

serveParent(commands)
