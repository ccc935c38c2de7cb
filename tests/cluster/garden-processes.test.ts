// What garden-reconcile generates for a virtual garden, run: its etcds, kube-apiserver and kube-controller-manager are real processes
// with the generated arguments, files, keys and certificates, in the versions that the test cluster is built of.
import { webcrypto, X509Certificate } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { apiserver } from '../../functions/garden-reconcile/desired/apiserver/apiserver.ts'
import type { KubeApiServerFields } from '../../functions/garden-reconcile/desired/apiserver/kube-apiserver.ts'
import { controllerManager } from '../../functions/garden-reconcile/desired/controller-manager.ts'
import { etcdObjects } from '../../functions/garden-reconcile/desired/etcds.ts'
import { bundleNow, secretNow } from '../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import {
  type BundledName,
  type SecretConfigName,
  secretConfigNames,
} from '../../functions/garden-reconcile/rules/secrets/secret-configs.ts'
import type { World } from '../../functions/garden-reconcile/world.ts'
import { mergePatched } from '../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { secretText } from '../../shared/core/objects/secret-text.ts'
import '../harness/clients/reflect-metadata.ts'
import * as x509 from '@peculiar/x509'
import { type ApiClient, apiClient, type Fields } from '../harness/clients/api.ts'
import { newAuthority } from '../harness/clients/certificates.ts'
import { base64, type Credentials } from '../harness/clients/kubeconfig.ts'
import { kubernetesRelease } from '../harness/control-plane/binaries.ts'
import { storedBelow } from '../harness/control-plane/etcd-stored.ts'
import { processesIn } from '../harness/control-plane/processes.ts'
import { processesOfEtcd } from '../harness/garden/etcd-process.ts'
import { rolledApiServer } from '../harness/garden/rolled-api-server.ts'
import { contains, matches, rejects } from '../harness/matches.ts'
import { processOfPod } from '../harness/processes/pod-process.ts'
import { freePorts } from '../harness/processes/ports.ts'
import { scratchProcesses } from '../harness/processes/scratch-processes.ts'
import { eventually, until } from '../harness/until.ts'
import { plainFields, referredByFields, structuredFields } from '../make/garden/full-server-fields.ts'
import { type Change, type Garden, garden } from '../make/garden/garden.ts'
import { secretsIn, trueSecrets } from '../make/garden/garden-secrets.ts'
import { gardenWorld } from '../make/garden/garden-world.ts'
import { managedContents } from '../make/garden/managed-contents.ts'
import { withRuntime } from '../make/garden/secret-world.ts'
import { mountedSecret } from '../make/garden/virtual-garden.ts'

const { dir, processes } = scratchProcesses(t)

const version = kubernetesRelease()
const subject = garden({ spec: { virtualCluster: { kubernetes: { version: version.slice(1) } } } })
const world = await trueSecrets(gardenWorld({ garden: subject }), secretConfigNames, new Date())
const objects = [...secretsIn(world), ...etcdObjects(world), ...apiserver(world), ...controllerManager(world)]
const find = (kind: string, name: string) => objects.find(one => one.kind === kind && one.metadata.name === name)
const named = (kind: string, name: string): KubeObject => {
  const found = find(kind, `virtual-garden-${name}`)
  if (!found) throw new Error(`no ${kind} ${name}`)
  return found
}

const credentialsOf = (name: SecretConfigName): Credentials => {
  const secret = secretNow(world, name)
  return { certificate: secretText(secret, 'tls.crt'), key: secretText(secret, 'tls.key') }
}
const clientOf = (port: number, authority: BundledName, credentials?: Credentials): ApiClient => {
  const caData = base64(secretText(bundleNow(world, authority), 'bundle.crt'))
  const api = apiClient({ url: `https://127.0.0.1:${port}`, caData }, credentials)
  t.teardown(() => api.close())
  return api
}

const [main = 0, events = 0, ...peers] = await freePorts(4)
const hosts = {
  'virtual-garden-etcd-main-client:2379': `127.0.0.1:${main}`,
  'virtual-garden-etcd-events-client:2379': `127.0.0.1:${events}`,
}
const served = await rolledApiServer({ dir, find, hosts, processes })
t.teardown(() => served.close())

const value = btoa('written')
const written = { key: btoa('/example'), value }

t.test('GA-146 the etcds start with their Secrets: their client reads and writes, and nobody else does', async t => {
  for (const [index, role] of ['main', 'events'].entries()) {
    const ports = [{ client: [main, events][index] ?? 0, peer: peers[index] ?? 0 }]
    const place = { dir: join(dir, role), find, ports }
    for (const member of await processesOfEtcd(named('Etcd', `etcd-${role}`), place)) processes.start(member)
  }
  for (const port of [main, events]) {
    const known = clientOf(port, 'ca-etcd', credentialsOf('etcd-client'))
    const health = () => known.call('GET', '/health').then(({ text }) => text, String)
    await processes.whileAllRun(() => eventually('etcd is healthy', async () => (await health()).includes('"true"')))
    t.equal((await known.call('POST', '/v3/kv/put', { body: written })).status, 200)
    const read = await known.call('POST', '/v3/kv/range', { body: { key: written.key } })
    matches(t, read.body, { kvs: [{ value }] })
    for (const stranger of [undefined, credentialsOf('kube-aggregator')])
      await rejects(t, clientOf(port, 'ca-etcd', stranger).call('GET', '/health'))
  }
})

t.test(`GA-147 kube-apiserver ${version} starts with its arguments and files, and is well`, async t => {
  await served.rollOut(named('Deployment', 'kube-apiserver'))
  const [token = ''] = secretText(secretNow(world, 'kube-apiserver-static-token'), 'static_tokens.csv').split(',')
  const kubelet = clientOf(served.port, 'ca', { token })
  t.equal((await kubelet.call('GET', '/healthz')).status, 200)
  matches(t, (await kubelet.call('GET', '/version')).body, { gitVersion: version })
  t.equal((await kubelet.call('GET', '/api/v1/secrets')).status, 403, 'and may do nothing else')
  t.equal((await clientOf(served.port, 'ca').call('GET', '/healthz')).status, 401, 'nobody is anonymous')
  await rejects(t, clientOf(served.port, 'ca-client').call('GET', '/healthz'), { code: 'SELF_SIGNED_CERT_IN_CHAIN' })
})

t.test('GA-148 a client certificate of ca-client is known, one of another authority is not', async t => {
  const admin = clientOf(served.port, 'ca', credentialsOf('gardener-resource-manager-bootstrap'))
  const { status, body } = await admin.call('GET', '/api/v1/namespaces')
  t.equal(status, 200)
  const names = (body.items as KubeObject[]).map(({ metadata }) => metadata.name)
  t.ok(names.includes('kube-system'), names.join())
  const other = clientOf(served.port, 'ca', credentialsOf('kube-aggregator'))
  t.equal((await other.call('GET', '/api/v1/namespaces')).status, 401)
})

t.test('what the virtual garden keeps secret is encrypted with the generated key', async t => {
  const admin = clientOf(served.port, 'ca', credentialsOf('gardener-resource-manager-bootstrap'))
  const body = { metadata: { name: 'kept' }, stringData: { password: 'plain' } }
  t.equal((await admin.call('POST', '/api/v1/namespaces/default/secrets', { body })).status, 201)
  const stored = await storedBelow(clientOf(main, 'ca-etcd', credentialsOf('etcd-client')), '/registry/secrets/')
  const key = secretText(secretNow(world, 'kube-apiserver-etcd-encryption-key'), 'key')
  contains(t, stored.get('/registry/secrets/default/kept'), `k8s:enc:aescbc:v1:${key}:`)
})

const account = '/api/v1/namespaces/kube-system/serviceaccounts'

/** What the resource manager of the virtual garden does for the Secret that asks for a token. */
const tokenGiven = async (admin: ApiClient, name: string): Promise<KubeObject> => {
  await admin.call('POST', account, { body: { metadata: { name } } })
  const { body } = await admin.call('POST', `${account}/${name}/token`, { body: { spec: {} } })
  const { token } = body.status as { token: string }
  return mountedSecret(`shoot-access-${name}`, { token })
}

t.test('GA-175 kube-controller-manager starts and works with its arguments and files', async t => {
  const admin = clientOf(served.port, 'ca', credentialsOf('gardener-resource-manager-bootstrap'))
  const unfilled = {
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 'long-lived' },
  }
  const [binding] = managedContents(objects, 'shoot-core-kube-controller-manager')
  await admin.call('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { body: binding })
  const token = await tokenGiven(admin, 'kube-controller-manager')
  const [port = 0] = await freePorts(1)
  processes.start(
    await processOfPod(named('Deployment', 'kube-controller-manager'), {
      dir: join(dir, 'kcm'),
      find: (kind, name) => (name === token.metadata.name ? token : find(kind, name)),
      hosts: { 'virtual-garden-kube-apiserver': `127.0.0.1:${served.port}` },
      flags: { 'secure-port': String(port), 'bind-address': '127.0.0.1' },
    }),
  )
  await processes.whileAllRun(() =>
    admin.waitFor({ in: account, name: 'default', until: found => found !== undefined }),
  )

  const annotations = { 'kubernetes.io/service-account.name': 'default' }
  const asking = { ...unfilled, metadata: { ...unfilled.metadata, annotations } }
  t.equal((await admin.call('POST', '/api/v1/namespaces/kube-system/secrets', { body: asking })).status, 201)
  const certificate = await processes.whileAllRun(() => signed(admin))
  const authority = new X509Certificate(secretText(secretNow(world, 'ca-client'), 'ca.crt'))
  t.ok(certificate.verify(authority.publicKey), 'signed by ca-client')
  t.equal(certificate.issuer, authority.subject)
  const secret = await admin.call('GET', '/api/v1/namespaces/kube-system/secrets/long-lived')
  t.equal(secret.body.data, undefined, 'a Secret that asks for a lasting token stays empty')
})

/** The certificate that is made for an approved request. */
const signed = async (admin: ApiClient): Promise<X509Certificate> => {
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
  const usages = ['client auth']
  const spec = {
    request: btoa(await certificateRequest('somebody')),
    signerName: 'kubernetes.io/kube-apiserver-client',
  }
  const name = 'somebody'
  const made = await admin.call('POST', requests, { body: { metadata: { name }, spec: { ...spec, usages } } })
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'by the test' }]
  await admin.call('PUT', `${requests}/${name}/approval`, { body: { ...made.body, status: { conditions } } })
  const isSigned = (found: Fields | undefined): boolean => certificateIn(found) !== undefined
  return new X509Certificate(atob(certificateIn(await admin.waitFor({ in: requests, name, until: isSigned })) ?? ''))
}

const certificateIn = (request: Fields | undefined): string | undefined =>
  (request?.status as { certificate?: string } | undefined)?.certificate

const certificateRequest = async (user: string): Promise<string> => {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: new x509.Name([{ CN: [user] }]),
    keys,
    signingAlgorithm: algorithm,
  })
  return request.toString('pem')
}

const worldWith = (kubeAPIServer: KubeApiServerFields): World => {
  const change = { spec: { virtualCluster: { kubernetes: { version: version.slice(1), kubeAPIServer } } } }
  return withRuntime({ ...world, garden: garden(change as Change<Garden>) }, ...referred)
}
const authority = secretText(bundleNow(world, 'ca'), 'bundle.crt')
const referred = referredByFields(authority, await (await newAuthority('landscape')).serving({ dns: ['x.org'] }))

t.test('GA-147 it starts with every field that a Garden may say of it', async t => {
  for (const [name, fields] of Object.entries({ structured: structuredFields, plain: plainFields(authority) })) {
    const full = worldWith(fields)
    await withApiServer(name, full, async admin => {
      t.equal((await admin.call('GET', '/api/v1/namespaces')).status, 200, name)
    })
  }
})

t.test('GA-366 it gives Services addresses of IPv6 alone, or of both families', async t => {
  const [four, six] = ['100.64.0.0/16', 'fd00:2::/112'] as [string, string]
  const cases: readonly (readonly [name: string, services: string[], families: string[]])[] = [
    ['ipv6', [six], ['IPv6']],
    ['dual', [four, six], ['IPv4', 'IPv6']],
  ]
  for (const [name, services, families] of cases) {
    const virtualCluster = { kubernetes: { version: version.slice(1) }, networking: { services } }
    const of = { ...world, garden: garden({ spec: { virtualCluster } } as Change<Garden>) }
    // Its Pods have addresses of the first family, and nobody else's Services are stored.
    const flags = { 'etcd-prefix': `/${name}`, ...(services[0] === six && { 'advertise-address': '2001:db8::1' }) }
    await withApiServer(
      name,
      of,
      async admin => {
        const body = { metadata: { name: 'one' }, spec: { ipFamilyPolicy: 'PreferDualStack', ports: [{ port: 1 }] } }
        const create = () => admin.call('POST', '/api/v1/namespaces/default/services', { body })
        const made = await until(create, ({ status }) => status === 201)
        const { ipFamilies = [], clusterIPs = [] } = (made.body.spec ?? {}) as Record<string, string[]>
        t.strictSame(ipFamilies, families, name)
        t.strictSame(
          clusterIPs.map(address => (address.includes(':') ? 'IPv6' : 'IPv4')),
          families,
          clusterIPs.join(),
        )
      },
      flags,
    )
  }
})

t.test('GA-345 a real kube-apiserver encrypts what a Garden asks for, and reads it when it no longer asks', async t => {
  const etcd = clientOf(main, 'ca-etcd', credentialsOf('etcd-client'))
  const worldOf = (resources: readonly string[], atRest: readonly string[], isReadable = false): World => {
    const kubeAPIServer = { encryptionConfig: { provider: { type: 'aescbc' }, resources: [...resources] } }
    const spec = { virtualCluster: { kubernetes: { version: version.slice(1), kubeAPIServer } } }
    const credentials = { encryptionAtRest: { provider: { type: 'aescbc' }, resources: [...atRest] } }
    const kept = JSON.stringify({ resources, isReadable })
    const metadata = { annotations: { 'credentials.gardener.cloud/encrypted-resources': kept } }
    return { ...world, garden: garden({ metadata, spec, status: { credentials } } as Change<Garden>) }
  }
  const configMaps = '/api/v1/namespaces/default/configmaps'
  const stored = async () =>
    (await storedBelow(etcd, '/registry/configmaps/default/')).get('/registry/configmaps/default/map')
  const written = async (name: string, of: World) => {
    await withApiServer(name, of, async admin => {
      const body = { metadata: { name: 'map' }, data: { of: name } }
      const { status } = await admin.call('GET', `${configMaps}/map`)
      const done =
        status === 200
          ? await admin.call('PUT', `${configMaps}/map`, { body })
          : await admin.call('POST', configMaps, { body })
      t.ok(done.status < 300, name)
      t.equal((await admin.call('GET', configMaps)).status, 200, name)
    })
    return stored()
  }
  const named = ['configmaps']
  t.notOk((await written('readable', worldOf(named, [])))?.includes('k8s:enc:'), 'all replicas read it first')
  contains(t, await written('encrypted', worldOf(named, [], true)), 'k8s:enc:aescbc:v1:')
  t.notOk((await written('removed', worldOf([], named)))?.includes('k8s:enc:'))
  t.notOk((await written('gone', worldOf([], [])))?.includes('k8s:enc:'))
})

t.test('GA-318 what is stored with one provider stays readable while the keys go to another', async t => {
  const name = 'kube-apiserver-etcd-encryption-key'
  const secrets = '/api/v1/secrets'
  const etcd = clientOf(main, 'ca-etcd', credentialsOf('etcd-client'))
  let before = world
  for (const [turn, type] of (['secretbox', 'aesgcm', 'aescbc'] as const).entries()) {
    const startedAt = new Date(Date.now() + (turn + 1) * 86_400_000)
    const rotation = { etcdEncryptionKey: { phase: 'Preparing', lastInitiationTime: startedAt.toISOString() } }
    const kubeAPIServer = { encryptionConfig: { provider: { type } } }
    const change = {
      spec: { virtualCluster: { kubernetes: { version: version.slice(1), kubeAPIServer } } },
      status: { credentials: { rotation } },
    }
    const begun = await trueSecrets({ ...before, garden: garden(change as Change<Garden>) }, [name], startedAt)
    const prepared = { ...begun, garden: mergePatched(begun.garden, phaseOfKey('Prepared')) as Garden }
    const completed = { ...begun, garden: mergePatched(begun.garden, phaseOfKey('Completed')) as Garden }
    const [former, current] = [secretText(secretNow(before, name), 'key'), secretText(secretNow(begun, name), 'key')]
    t.not(former, current)
    await withApiServer(`prepared-${type}`, prepared, async admin => {
      const { status, body } = await admin.call('GET', secrets)
      t.equal(status, 200, `${type} reads what the provider before it has stored`)
      for (const { metadata } of body.items as KubeObject[]) {
        const path = `/api/v1/namespaces/${metadata.namespace}/secrets/${metadata.name}`
        const merge = { contentType: 'application/merge-patch+json', body: { metadata: { labels: { written: type } } } }
        t.equal((await admin.call('PATCH', path, merge)).status, 200)
      }
    })
    const stored = await storedBelow(etcd, '/registry/secrets/default/')
    contains(t, stored.get('/registry/secrets/default/kept'), `k8s:enc:${type}:v1:${current}:`)
    await withApiServer(`completed-${type}`, completed, async admin => {
      t.equal((await admin.call('GET', secrets)).status, 200, `${type} alone`)
    })
    before = completed
  }
})

const phaseOfKey = (phase: string) => ({ status: { credentials: { rotation: { etcdEncryptionKey: { phase } } } } })

/** Runs another kube-apiserver on the same etcds for as long as it is used. */
const withApiServer = async (
  name: string,
  of: World,
  use: (admin: ApiClient) => Promise<void>,
  flags: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const made = [...secretsIn(of), ...referred, ...apiserver(of)]
  const finds = (kind: string, one: string) =>
    made.find(({ metadata, ...object }) => object.kind === kind && metadata.name === one)
  const place = join(dir, name)
  mkdirSync(join(place, 'logs'), { recursive: true })
  const own = processesIn(place)
  const other = await rolledApiServer({ dir: place, find: finds, hosts, processes: own, flags })
  t.teardown(() => other.close())
  const deployment = finds('Deployment', 'virtual-garden-kube-apiserver')
  if (!deployment) throw new Error('no Deployment')
  await other.rollOut(deployment)
  await use(clientOf(other.port, 'ca', credentialsOf('gardener-resource-manager-bootstrap')))
  await own.stopAll()
}
