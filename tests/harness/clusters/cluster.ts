// The real clusters that test files use. `npm run test:cluster` starts two for each of its jobs: one with everything, and one with only an API
// server, as a remote runtime. Files that run in the same job, one after the other, share these two. A file that runs alone starts its own. Objects
// in a shared cluster may come from other tests, so use names of your own, or a control plane of your own.
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { apiClient } from '../clients/api.ts'
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../control-plane/control-plane.ts'
import { type Cluster, describedCluster } from '../control-plane/control-plane-folder.ts'
import { scratchFolder } from '../processes/scratch.ts'

export type { Cluster, ControlPlane }

/** The part of tap's `t` that is needed. */
export type TestContext = {
  teardown(cleanUp: () => Promise<void>): void
  comment(text: string): void
}

/** Names the folder with the shared clusters; set by run-cluster-tests.ts. */
export const sharedClustersVariable = 'ESPALIER_TEST_CLUSTERS'

/** The shared clusters, each in a folder of this name. */
export const sharedClusters = {
  real: { withControllers: true },
  remote: { withControllers: false },
} as const satisfies Record<string, Omit<ControlPlaneOptions, 'dir'>>

type SharedName = keyof typeof sharedClusters

/** The shared cluster with controllers, a scheduler and a node on which Pods become ready. */
export function realCluster(t: TestContext): Promise<Cluster> {
  return sharedCluster(t, 'real')
}

/** The shared cluster that is only an API server: no garbage collection, no default ServiceAccounts, no Pods. */
export function remoteCluster(t: TestContext): Promise<Cluster> {
  return sharedCluster(t, 'remote')
}

/** A control plane for this test alone, so the test may stop its API server. It ends with the test. */
export async function ownControlPlane(
  t: TestContext,
  options: Omit<ControlPlaneOptions, 'dir'> = {},
): Promise<ControlPlane> {
  const dir = scratchFolder()
  const remove = () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  try {
    const controlPlane = await startControlPlane({ ...options, dir })
    t.teardown(async () => {
      await controlPlane.stop()
      remove()
    })
    return controlPlane
  } catch (error) {
    remove()
    throw error
  }
}

/** A new namespace with a name nobody else has; it is deleted after the test. */
export async function newNamespace(t: TestContext, cluster: Cluster): Promise<string> {
  const name = `test-${randomBytes(5).toString('hex')}`
  const api = apiClient(cluster, cluster.admin)
  const reply = await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } })
  if (reply.status !== 201) throw new Error(`no namespace ${name}: ${reply.text}`)
  t.teardown(async () => {
    await api.call('DELETE', `/api/v1/namespaces/${name}`)
    await api.close()
  })
  return name
}

/** Clusters that this process had to start itself. They end with the process, not with the first test. */
const started = new Map<SharedName, Promise<Cluster>>()

function sharedCluster(t: TestContext, name: SharedName): Promise<Cluster> {
  const folder = process.env[sharedClustersVariable]
  if (folder) return attach(join(folder, name))
  const cluster = started.get(name) ?? startUntilExit(t, name)
  started.set(name, cluster)
  return cluster
}

async function attach(dir: string): Promise<Cluster> {
  const cluster = describedCluster(dir)
  if (!cluster) throw new Error(`${sharedClustersVariable} is set, but there is no cluster in ${dir}`)
  return cluster
}

async function startUntilExit(t: TestContext, name: SharedName): Promise<Cluster> {
  const dir = scratchFolder()
  t.comment(`starting a control plane for this process alone, in ${dir}`)
  const controlPlane = startControlPlane({ ...sharedClusters[name], dir })
  process.once('exit', () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return controlPlane
}
