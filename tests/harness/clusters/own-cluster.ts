// Clusters for stories whose function acts on everything in a cluster, so no other objects may be in it. They are embedded or real, as in anyCluster.
// Also a second API server that can be stopped and started.
import { rmSync } from 'node:fs'
import type { Test } from 'tap'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { apiClient } from '../clients/api.ts'
import { freePorts } from '../processes/ports.ts'
import { scratchFolder } from '../processes/scratch.ts'
import { anyCluster, isRealCluster } from './any-cluster.ts'
import { ownControlPlane } from './cluster.ts'
import { clientTo } from './cluster-client.ts'
import { serviceAccountToken } from './service-account.ts'

/** A client with the rights of the administrator, for a cluster of the test alone. Workloads become ready there. */
export const ownCluster = async (t: Test): Promise<Client> => {
  const cluster = await (isRealCluster ? ownControlPlane(t) : anyCluster(t, { embedded: { node: true } }))
  return clientTo(t, cluster)
}

export type SecondApiServer = {
  readonly caData: string
  /** A token of a user who may ask for the server's health. */
  readonly token: string
  /** `127.0.0.1:port`, the same after every start. */
  readonly address: string
  /** A name for which its certificate is good. */
  readonly serverName: string
  /** Then nobody listens. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** The server runs. It keeps its identity after a stop. */
export const secondApiServer = (t: Test): Promise<SecondApiServer> =>
  isRealCluster ? realApiServer(t) : embeddedApiServer(t)

const serverName = 'localhost'

const realApiServer = async (t: Test): Promise<SecondApiServer> => {
  const controlPlane = await ownControlPlane(t, { withControllers: false })
  const account = { namespace: 'default', name: 'asks-for-health' }
  const api = apiClient(controlPlane, controlPlane.admin)
  await api.call('POST', '/api/v1/namespaces/default/serviceaccounts', { body: { metadata: { name: account.name } } })
  await api.close()
  return {
    caData: controlPlane.caData,
    token: await serviceAccountToken(controlPlane, account),
    address: new URL(controlPlane.url).host,
    serverName,
    stop: () => controlPlane.stopApiServer(),
    start: controlPlane.startApiServer,
  }
}

const embeddedApiServer = async (t: Test): Promise<SecondApiServer> => {
  const data = scratchFolder()
  const [port] = await freePorts(1)
  let cluster = await startEmbeddedCluster({ data, port })
  t.teardown(async () => {
    await cluster.stop()
    rmSync(data, { recursive: true, force: true })
  })
  const { caData, adminToken, url } = cluster
  return {
    caData,
    serverName,
    token: adminToken,
    address: new URL(url).host,
    stop: () => cluster.stop(),
    start: async () => {
      cluster = await startEmbeddedCluster({ data })
    },
  }
}
