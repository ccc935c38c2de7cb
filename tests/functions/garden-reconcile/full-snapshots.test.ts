// The hook that has a full snapshot of an etcd taken, against a sidecar with certificates of its own.
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { fullSnapshots } from '../../../functions/garden-reconcile/io/full-snapshots.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { rejects } from '../../harness/matches.ts'
import { mountedSecret } from '../../make/garden/virtual-garden.ts'

const host = 'virtual-garden-etcd-main-client.garden'
const authority = await newAuthority('ca-etcd')
const [serving, shown] = await Promise.all([
  authority.serving({ dns: [host] }),
  authority.client({ user: 'etcd-client' }),
])

const asked: string[] = []
let answer = { code: 200, body: '{}' }
const sidecar = createServer(
  { cert: serving.certificate, key: serving.key, ca: authority.certificate, requestCert: true },
  (request, reply) => {
    asked.push(`${request.method} ${request.headers.host?.split(':')[0]}${request.url}`)
    reply.writeHead(answer.code).end(answer.body)
  },
)
sidecar.listen(0, '127.0.0.1')
await once(sidecar, 'listening')
t.teardown(() => sidecar.close())

const secrets = [
  mountedSecret('ca-etcd-bundle', { 'bundle.crt': authority.certificate }),
  mountedSecret('etcd-client', { 'tls.crt': shown.certificate, 'tls.key': shown.key }),
]

const etcd: KubeObject = {
  apiVersion: 'druid.gardener.cloud/v1alpha1',
  kind: 'Etcd',
  metadata: { name: 'virtual-garden-etcd-main', namespace: 'garden' },
  spec: {
    backup: {
      port: (sidecar.address() as AddressInfo).port,
      tls: {
        tlsCASecretRef: { name: 'ca-etcd-bundle', dataKey: 'bundle.crt' },
        clientTLSSecretRef: { name: 'etcd-client' },
      },
    },
  },
}

const take = () => {
  const local = { get: async ref => secrets.find(({ metadata }) => metadata.name === ref.name) } as Partial<Client>
  const takeSnapshot = fullSnapshots({
    clusters: { of: async () => local as Client },
    lastPassAt: performance.now() + 30_000,
    lookup: (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  return takeSnapshot(etcd)
}

t.test(
  'GA-107 the sidecar of the etcd is asked once for a full snapshot; a failure is an error that names the Etcd',
  async t => {
    await take()
    t.strictSame(asked, [`GET ${host}/snapshot/full?final=true`])
    answer = { code: 500, body: 'the store is full' }
    await rejects(t, take(), {
      message: 'a full snapshot of Etcd garden/virtual-garden-etcd-main was not taken: answered 500: the store is full',
    })
    sidecar.close()
    sidecar.closeAllConnections()
    await rejects(t, take(), { message: /was not taken: / })
  },
)
