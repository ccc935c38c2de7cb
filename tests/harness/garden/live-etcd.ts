// The etcds of a Garden as processes of this machine. A process is started again for each new StatefulSet; its data stays.
import { etcdKind } from '../../../shared/api/garden/kinds.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { StandIn } from '../../../shared/embedded/garden/stand-in.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { type ApiClient, apiClient } from '../clients/api.ts'
import type { Processes } from '../control-plane/processes.ts'
import { eventually } from '../until.ts'
import { type EtcdPorts, processesOfEtcd } from './etcd-process.ts'
import { liveWorkload, mountedIn } from './live-workloads.ts'

export type LiveEtcd = {
  readonly client: Client
  /** The folder for its data and keys. */
  readonly dir: string
  readonly processes: Processes
  /** `virtual-garden-etcd-main` */
  readonly name: string
  readonly ports: EtcdPorts
  /** The host as in a URL. Absent: 127.0.0.1. */
  readonly host?: string
}

const namespace = 'garden'

export const liveEtcd = (etcd: LiveEtcd): StandIn => {
  const { client, name, processes } = etcd
  const stop = async (): Promise<void> => {
    for (const member of Object.keys(processes.pids()).filter(one => one.startsWith(name)))
      await processes.stop(member, 'SIGKILL')
  }
  return liveWorkload(
    client,
    { apiVersion: 'apps/v1', kind: 'StatefulSet', namespace, name },
    {
      stop,
      start: async () => {
        const object = await client.get({ ...etcdKind, namespace, name })
        if (!object) throw new Error(`no Etcd ${name}`)
        const members = await processesOfEtcd(object, { ...etcd, find: mountedIn(client), ports: [etcd.ports] })
        await stop()
        for (const member of members) processes.start(member)
        const api = await etcdClient(client, object, etcd)
        const health = () => api.call('GET', '/health').then(({ text }) => text, String)
        await eventually(`${name} is healthy`, async () => (await health()).includes('"true"'))
        await api.close()
      },
    },
  )
}

type Tls = { readonly tlsCASecretRef: { name: string }; readonly clientTLSSecretRef: { name: string } }

/** Uses the certificate that the Etcd names for its clients. */
export const etcdClient = async (
  client: Client,
  etcd: KubeObject,
  { ports: { client: port }, host = '127.0.0.1' }: Pick<LiveEtcd, 'ports' | 'host'>,
): Promise<ApiClient> => {
  const { clientUrlTls } = (etcd.spec as { etcd: { clientUrlTls: Tls } }).etcd
  const dataOf = async (name: string) =>
    ((await mountedIn(client)('Secret', name))?.data ?? {}) as Record<string, string>
  const [authority, own] = await Promise.all([
    dataOf(clientUrlTls.tlsCASecretRef.name),
    dataOf(clientUrlTls.clientTLSSecretRef.name),
  ])
  const [certificate = '', key = ''] = ['tls.crt', 'tls.key'].map(file => atob(own[file] ?? ''))
  return apiClient({ url: `https://${host}:${port}`, caData: authority['bundle.crt'] ?? '' }, { certificate, key })
}
