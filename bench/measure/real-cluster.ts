// A real API server for one benchmark, with what a Pod of Espalier finds in its file system. It ends with the benchmark.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serviceAccountToken } from '../../tests/harness/clusters/service-account.ts'
import { buildPrograms } from '../../tests/harness/control-plane/binaries.ts'
import { type ControlPlane, startControlPlane } from '../../tests/harness/control-plane/control-plane.ts'
import { scratchFolder } from '../../tests/harness/processes/scratch.ts'
import { type ApiServer, type BareApi, bareApi } from './bare-api.ts'
import { namespace } from './config-maps.ts'
import { progress } from './report.ts'

export type RealCluster = ControlPlane & {
  /** An own folder, gone afterwards. */
  readonly dir: string
  /** The administrator's: not subject to priority and fairness, so never answered 429. */
  readonly api: BareApi
  end(): Promise<void>
}

export const ownNamespace = 'espalier-system'

/** Further flags of the API server, which may name files in the cluster's folder. */
type FlagsFor = (dir: string) => readonly string[]

/** Without controllers, which would only take part in the load. */
export const realCluster = async (apiServerFlags: FlagsFor = () => []): Promise<RealCluster> => {
  await buildPrograms(progress)
  const dir = scratchFolder()
  const controlPlane = await startControlPlane({ dir, withControllers: false, apiServerFlags: apiServerFlags(dir) })
  const api = bareApi(controlPlane, controlPlane.admin)
  for (const name of [namespace, ownNamespace])
    await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } })
  const end = async () => {
    await api.close()
    await controlPlane.stop()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  }
  return { ...controlPlane, dir, api, end }
}

/** Does the work on a cluster that is gone afterwards, however the work ended. */
export const onRealCluster = async <T>(
  work: (cluster: RealCluster) => Promise<T>,
  apiServerFlags?: FlagsFor,
): Promise<T> => {
  const cluster = await realCluster(apiServerFlags)
  try {
    return await work(cluster)
  } finally {
    await cluster.end()
  }
}

/**
 * A folder as it is mounted into a Pod of this service account, which may do everything here: roles are not what is measured.
 * Unlike the administrator it is subject to priority and fairness. `caData`: the authority of the API server, or of a proxy before it.
 */
export const mountedServiceAccount = async (
  cluster: RealCluster,
  name: string,
  { caData }: Pick<ApiServer, 'caData'> = cluster,
): Promise<string> => {
  const account = { namespace: ownNamespace, name }
  await cluster.api.call('POST', `/api/v1/namespaces/${ownNamespace}/serviceaccounts`, { body: { metadata: { name } } })
  await cluster.api.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    body: everythingFor(name),
  })
  const mounted = join(cluster.dir, 'mounted', name)
  mkdirSync(mounted, { recursive: true })
  writeFileSync(join(mounted, 'token'), await serviceAccountToken(cluster, account, { seconds: 86_400 }))
  writeFileSync(join(mounted, 'ca.crt'), Buffer.from(caData, 'base64'))
  return mounted
}

const everythingFor = (name: string) => ({
  metadata: { name: `bench-${name}` },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', namespace: ownNamespace, name }],
})
