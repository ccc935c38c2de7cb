// The clusters that commands read: the cluster of the kubeconfig, and the clusters of its access Secrets.
import { homedir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import type { Landscape } from '../../api/serverless.ts'
import type { ClusterName, GroupVersionKind } from '../../core/objects/object.ts'
import type { SettingsTable } from '../../core/settings/setting.ts'
import { environmentSettings } from '../../http/settings/config.ts'
import { programSettings } from '../../http/settings/program-settings.ts'
import { createClient } from '../../kube/client/client.ts'
import type { BindableClusters, Client, Reads } from '../../kube/client-types.ts'
import type { ClusterAccess } from '../../kube/clusters/access.ts'
import { clusters } from '../../kube/clusters/clusters.ts'
import { AccessError } from '../../kube/errors.ts'
import { placeOf } from '../../runtime/why/chain.ts'
import { builtLandscape } from '../built-landscape.ts'
import { landscapeOf, leadingTo } from '../landscape.ts'
import { type Given, UsageFault } from './command.ts'

export type ReadingProcess = {
  readonly local: Client
  readonly clusters: BindableClusters
  readonly landscape: Landscape
  /** The default namespace of objects. */
  readonly namespace: string
  /** '' for a cluster-scoped kind. */
  namespaceOf(kind: GroupVersionKind): Promise<string>
  end(): Promise<void>
}

export const readingProcess = async (options: Given['options']): Promise<ReadingProcess> => {
  const access = await ownAccess(options)
  const landscape = withOwnHost(await landscapeOf(builtLandscape ? undefined : serverless), access.server)
  const local = createClient(access, { userAgent: `espalier/${manifest.version}` })
  const namespace = options.namespace ?? access.namespace ?? 'default'
  return {
    local,
    clusters: clusters({ local, remotes: landscape.provider.remotes }),
    landscape,
    namespace,
    namespaceOf: async kind => {
      const scope = await local.scopeOf(kind)
      if (scope !== 'unserved') return scope === 'cluster' ? '' : namespace
      throw new UsageFault(
        `the cluster does not serve kind ${kind.kind} of ${kind.apiVersion}: its CustomResourceDefinition is not installed`,
      )
    },
    end: () => local.close(),
  }
}

/** Calls `use` with a process, and ends the process afterwards. */
export const reads = async <Answer>(
  options: Given['options'],
  use: (reading: ReadingProcess) => Promise<Answer>,
): Promise<Answer> => {
  const reading = await readingProcess(options)
  try {
    return await use(reading)
  } finally {
    await reading.end()
  }
}

const ownAccess = async ({ kubeconfig, context }: Given['options']): Promise<ClusterAccess> => {
  const { ownKubeconfigAccess } = await import('../../kube/kubeconfigs/own-kubeconfig.ts')
  const { kubeconfig: given } = settingsHere({ kubeconfig: programSettings.kubeconfig })
  const files = (kubeconfig ?? given ?? join(homedir(), '.kube', 'config')).split(':')
  try {
    return await ownKubeconfigAccess({ files, ...(context !== undefined && { context }) })
  } catch (error) {
    if (!(error instanceof AccessError)) throw error
    throw new UsageFault(`${error.message}; --kubeconfig and KUBECONFIG name another file`)
  }
}

/** Reads environment variables, as a host does. */
export const settingsHere = <Table extends SettingsTable>(table: Table) => {
  const reading = environmentSettings(table, 'espalier')
  if (reading.is === 'settings') return reading.settings
  throw new UsageFault(reading.is === 'faults' ? reading.faults.join('; ') : reading.text)
}

const serverless = join(import.meta.dirname, '..', '..', '..', 'serverless.yml')

/** If the cluster is on this machine, kubeconfigs in its Secrets may also have addresses of this machine. */
const withOwnHost = (landscape: Landscape, server: string): Landscape => {
  const { hostname } = new URL(server)
  return /^(127\.|localhost$|\[::1\]$)/.test(hostname) ? leadingTo(hostname, landscape) : landscape
}

/** Reads in the clusters of an object. */
export const clusterReads =
  ({ clusters }: ReadingProcess) =>
  async (on: ClusterName): Promise<Reads> =>
    clusters.of(await placeOf(on, clusters))
