// Workloads of a virtual garden as processes of this machine: real etcds and API servers of objects as a cluster holds them, rolled out
// while somebody reads and writes.
import { join } from 'node:path'
import t from 'tap'
import { stringify } from 'yaml'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { apiClient } from '../harness/clients/api.ts'
import { newAuthority, newKeyPair } from '../harness/clients/certificates.ts'
import { base64 } from '../harness/clients/kubeconfig.ts'
import { steadyClient } from '../harness/clients/steady-client.ts'
import { storedBelow } from '../harness/control-plane/etcd-stored.ts'
import { processesOfEtcd } from '../harness/garden/etcd-process.ts'
import { rolledApiServer } from '../harness/garden/rolled-api-server.ts'
import { matches, rejects } from '../harness/matches.ts'
import { freePorts } from '../harness/processes/ports.ts'
import { scratchProcesses } from '../harness/processes/scratch-processes.ts'
import { mountedConfigMap, mountedSecret, virtualApiServer, virtualEtcd } from '../make/garden/virtual-garden.ts'

const { dir, processes } = scratchProcesses(t)

const [ca, caEtcd, caPeer, keys] = await Promise.all([
  newAuthority('ca'),
  newAuthority('ca-etcd'),
  newAuthority('ca-etcd-peer'),
  newKeyPair(),
])
const local = { dns: ['localhost'], ip: ['127.0.0.1'], isForClientsToo: true } as const
const [etcdServer, etcdPeer, etcdClient, server, admin] = await Promise.all([
  caEtcd.serving(local),
  caPeer.serving(local),
  caEtcd.client({ user: 'etcd-client' }),
  ca.serving(local),
  ca.client({ user: 'admin', groups: ['system:masters'] }),
])
const tls = ({ certificate, key }: { certificate: string; key: string }) => ({ 'tls.crt': certificate, 'tls.key': key })
const encryption = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [
    { resources: ['secrets'], providers: [{ aescbc: { keys: [{ name: 'key1', secret: btoa('k'.repeat(32)) }] } }] },
  ],
}
const objects: KubeObject[] = [
  mountedSecret('ca-bundle', { 'bundle.crt': ca.certificate }),
  mountedSecret('ca-etcd-bundle', { 'bundle.crt': caEtcd.certificate }),
  mountedSecret('ca-etcd-peer-bundle', { 'bundle.crt': caPeer.certificate }),
  mountedSecret('etcd-server', tls(etcdServer)),
  mountedSecret('etcd-peer-server', tls(etcdPeer)),
  mountedSecret('etcd-client', tls(etcdClient)),
  mountedSecret('kube-apiserver', tls(server)),
  mountedSecret('service-account-key', { id_rsa: keys.privateKey, 'bundle.key': keys.publicKey }),
  mountedSecret('static-token', { 'static_tokens.csv': 'abc,health-check,health-check,\n' }),
  mountedSecret('encryption', { 'encryption-configuration.yaml': stringify(encryption) }),
  mountedConfigMap('audit', {
    'audit-policy.yaml': 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: None }]\n',
  }),
]
const find = (kind: string, name: string) => objects.find(one => one.kind === kind && one.metadata.name === name)

const ports = (await freePorts(6))
  .map((port, index, all) => ({ client: port, peer: all[(index + 3) % 6] ?? 0 }))
  .slice(0, 3)

const etcdAt = (credentials?: typeof etcdClient) =>
  apiClient({ url: `https://127.0.0.1:${ports[0]?.client}`, caData: base64(caEtcd.certificate) }, credentials)

t.test(
  'the members of an Etcd find each other, and talk to nobody without a certificate of their authority',
  async t => {
    for (const member of await processesOfEtcd(virtualEtcd({ replicas: 3 }), { dir: join(dir, 'main'), find, ports }))
      processes.start(member)
    const known = etcdAt(etcdClient)
    const strangers = [etcdAt(), etcdAt(admin)]
    t.teardown(() => Promise.all([known, ...strangers].map(api => api.close())))
    const health = () => known.call('GET', '/health').then(({ text }) => text, String)
    await processes.whileAllRun(async signal => {
      while (!signal.aborted && !(await health()).includes('"true"'))
        await new Promise(resolve => setTimeout(resolve, 50))
    })
    const members = await known.call('POST', '/v3/cluster/member/list', { body: {} })
    t.equal((members.body.members as unknown[]).length, 3)
    for (const stranger of strangers) await rejects(t, stranger.call('GET', '/health'))
  },
)

t.test('a Deployment is rolled out behind an address that stays, and whoever uses it misses nothing', async t => {
  const hosts = { 'virtual-garden-etcd-main-client:2379': `127.0.0.1:${ports[0]?.client}` }
  const served = await rolledApiServer({ dir, find, hosts, processes })
  t.teardown(() => served.close())
  await served.rollOut(virtualApiServer())
  const api = apiClient({ url: `https://127.0.0.1:${served.port}`, caData: base64(ca.certificate) }, admin)
  t.teardown(() => api.close())
  const steady = { body: { metadata: { name: 'steady' } } }
  t.equal((await api.call('POST', '/api/v1/namespaces/default/secrets', steady)).status, 201)
  const client = steadyClient({ port: served.port, ca: ca.certificate, credentials: admin })
  await served.rollOut(virtualApiServer())
  await served.drained()
  await client.stop()
  t.strictSame(client.complaints, [])
  t.ok(client.succeeded >= 4, `${client.succeeded} calls`)
  t.strictSame(
    Object.keys(processes.pids()).filter(name => name.startsWith('kube-apiserver')),
    ['kube-apiserver-1'],
  )
  const stranger = steadyClient({ port: served.port, ca: caEtcd.certificate, credentials: admin })
  await stranger.stop()
  matches(t, stranger.complaints, [/certificate/, /certificate/], 'it complains where there is reason to')
})

t.test('what is stored can be seen as it lies in etcd', async t => {
  const etcd = etcdAt(etcdClient)
  t.teardown(() => etcd.close())
  const stored = await storedBelow(etcd, '/registry/secrets/')
  matches(t, stored.get('/registry/secrets/default/steady'), /^k8s:enc:aescbc:v1:key1:/)
})
