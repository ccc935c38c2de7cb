// Performs the step `takeSnapshot`: requests a full snapshot from the backup sidecar of an Etcd, with the certificates in the Etcd's spec.
// The sidecar answers when the snapshot is stored. If the call ends before the answer, the next call sends the request again.
import type { LookupFunction } from 'node:net'
import { valueAt } from '../../../shared/core/json/fields.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import type { ClusterAccess } from '../../../shared/kube/clusters/access.ts'
import { probe } from '../../../shared/kube/connection/probe.ts'
import type { TakeSnapshot } from '../../../shared/kube/writes/perform-step.ts'
import type { BegunCall } from '../../../shared/runtime/context.ts'

type Reach = Pick<BegunCall, 'clusters' | 'lastPassAt'> & {
  /** Replaces the DNS resolver of the system. */
  readonly lookup?: LookupFunction
  /** `host:port` to connect to instead of the sidecar. The certificate must still have the sidecar's name. */
  readonly dialAt?: string | undefined
}

const path = '/snapshot/full?final=true'

/** Throws unless the sidecar's answer says that the snapshot was taken. */
export const fullSnapshots =
  ({ clusters, lastPassAt, lookup, dialAt }: Reach): TakeSnapshot =>
  async etcd => {
    const seconds = Math.max(1, Math.floor((lastPassAt - performance.now()) / 1_000))
    const sidecar = await sidecarOf(etcd, { clusters, dialAt })
    const answer = await probe({ ...sidecar, ...(lookup && { lookup }) }, { path, seconds })
    if (answer.is === 'answered' && answer.code === 200) return
    const said = answer.is === 'answered' ? `answered ${answer.code}: ${answer.body}` : answer.error
    throw new Error(`a full snapshot of Etcd ${etcd.metadata.namespace}/${etcd.metadata.name} was not taken: ${said}`)
  }

const sidecarOf = async (
  etcd: KubeObject,
  { clusters, dialAt }: Pick<Reach, 'clusters' | 'dialAt'>,
): Promise<ClusterAccess> => {
  const { name, namespace = '' } = etcd.metadata
  const tls = (field: string, key: string) => String(valueAt(etcd.spec, 'backup', 'tls', field, key) ?? '')
  const local = await clusters.of('local')
  const secret = (field: string) => local.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: tls(field, 'name') })
  const [authority, client] = await Promise.all([secret('tlsCASecretRef'), secret('clientTLSSecretRef')])
  const host = `${name}-client.${namespace}`
  const credentials = {
    serverName: host,
    ca: secretText(authority, tls('tlsCASecretRef', 'dataKey')),
    certificate: secretText(client, 'tls.crt'),
    key: secretText(client, 'tls.key'),
  }
  const port = valueAt(etcd.spec, 'backup', 'port') ?? 8080
  return { server: `https://${dialAt ?? `${host}:${port}`}`, credentials: () => credentials }
}
