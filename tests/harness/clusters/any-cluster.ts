// A cluster for a test: the embedded one, or the real control plane with ESPALIER_CLUSTER=real. One suite runs against both.
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { type EmbeddedCluster, type EmbeddedOptions, startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { type ApiClient, apiClient } from '../clients/api.ts'
import type { Credentials } from '../clients/kubeconfig.ts'
import { ownControlPlane, realCluster, remoteCluster } from './cluster.ts'

export type AnyCluster = {
  readonly url: string
  /** YAML, with the rights of the administrator. */
  readonly kubeconfig: string
  /** The authority's certificate, PEM in base64. */
  readonly caData: string
  readonly admin: Credentials
  /** A client with the rights of the administrator, closed on teardown. */
  readonly api: ApiClient
  /** A namespace for this call alone. It exists, and is deleted on teardown. */
  readonly namespace: string
  readonly isReal: boolean
  /** The embedded cluster's own handles; undefined on the real one. */
  readonly embedded?: EmbeddedCluster
}

export type AnyClusterOptions = {
  /** On the real control plane: the API server without controllers, as a remote runtime has it. */
  readonly remote?: boolean
  /** On the real control plane: an API server that nobody else uses. */
  readonly own?: boolean
  /** On the real control plane that nobody else uses: more flags for kube-apiserver. */
  readonly apiServerFlags?: readonly string[]
  readonly embedded?: EmbeddedOptions
}

export const isRealCluster = process.env.ESPALIER_CLUSTER === 'real'

type Access = Pick<AnyCluster, 'url' | 'kubeconfig' | 'caData' | 'admin' | 'embedded'>

/**
 * The embedded cluster is started for this call and stopped on teardown. The real one is shared, and only the namespace belongs to the call, unless
 * the options ask for more.
 */
export const anyCluster = async (t: Test, options: AnyClusterOptions = {}): Promise<AnyCluster> => {
  const access = isRealCluster ? await real(t, options) : await embedded(options)
  const api = apiClient(access, access.admin)
  const namespace = `test-${randomBytes(5).toString('hex')}`
  const made = await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } })
  if (made.status !== 201) throw new Error(`no namespace ${namespace}: ${made.text}`)
  t.teardown(async () => {
    await api.call('DELETE', `/api/v1/namespaces/${namespace}`)
    await api.close()
    await access.embedded?.stop()
  })
  return { ...access, api, namespace, isReal: isRealCluster }
}

const real = async (t: Test, { remote, own, apiServerFlags }: AnyClusterOptions): Promise<Access> => {
  const shared = remote ? remoteCluster : realCluster
  const { url, kubeconfig, caData, admin } = await (own
    ? ownControlPlane(t, { withControllers: !remote, apiServerFlags })
    : shared(t))
  return { url, kubeconfig, caData, admin }
}

const embedded = async (options: AnyClusterOptions): Promise<Access> => {
  const cluster = await startEmbeddedCluster(options.embedded)
  const { url, kubeconfig, caData, adminToken } = cluster
  return { url, kubeconfig, caData, admin: { token: adminToken }, embedded: cluster }
}
