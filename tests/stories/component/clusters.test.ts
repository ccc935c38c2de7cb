// Where a component's dependents live and as whom they are written: another cluster behind a kubeconfig, other identities.
import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { inspect } from 'node:util'
import t, { type Test } from 'tap'
import { parse, stringify } from 'yaml'
import type { Landscape } from '../../../shared/api/serverless.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../shared/core/objects/secret-text.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { hostContext } from '../../../shared/http/host-context.ts'
import type { RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { readOnly } from '../../../shared/kube/clusters/read-only.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import type { Lookup, Render } from '../../../shared/render/generator.ts'
import type { ComponentOptions } from '../../../shared/runtime/component/definition/definition.ts'
import type { Generator } from '../../../shared/runtime/component.ts'
import type { CallContext } from '../../../shared/runtime/context.ts'
import { type ProcessMemory, processMemory } from '../../../shared/runtime/process-memory.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { resolvesToLoopback } from '../../harness/clients/inner-names.ts'
import { base64 } from '../../harness/clients/kubeconfig.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { orchards } from '../../harness/component/orchards.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { json, status as refusal, scriptedServer } from '../../shared/kube/scripted-server.ts'
import { keptLog } from '../../shared/relay/silent-log.ts'

const ground = await orchards(t)
const { client, configMap, namespace, name: P } = ground
const remote = await anyCluster(t, { remote: true })
const far = clientTo(t, remote)
const writer = { fieldManager: 'person' }
const hosts = ['127.0.0.1', 'localhost']

const secret = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  data: encodedTexts(data),
})

const farMap = (name: string, data?: Record<string, string>): KubeObject => ({
  ...configMap(name, data),
  metadata: { name, namespace: remote.namespace },
})

const refTo = (object: KubeObject) => ({
  ...object,
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
})

t.test('CO-101 behind a kubeconfig: dependents there, status here, owner id of this cluster, rotation', async t => {
  const definition = ground.define({ options: { kubeConfigHosts: hosts } })
  const objects = [farMap('far-a', { a: '1' }), farMap('far-b')]
  await ground.plant('far', { objects, kubeConfig: { secretRef: { name: 'far-access' } } })
  matches(t, await ground.settle(definition, 'far'), { outcome: 'waiting' })
  matches(t, (await ground.status('far')).ready, { reason: 'Retrying', message: /far-access/ })
  await client.create(secret('far-access', { 'value.yaml': 'nonsense' }), writer)
  matches(t, await ground.settle(definition, 'far'), { outcome: 'failed', reason: /kubeconfig/ })
  const rotated = secret('far-access', { 'value.yaml': remote.kubeconfig }).data
  await client.patch(refTo(secret('far-access', {})), { type: 'merge', body: { data: rotated } }, writer)
  matches(t, await ground.settle(definition, 'far'), { outcome: 'settled' }, 'the next call uses the new one')
  matches(t, await ground.status('far'), { state: 'Ready' })
  const there = await far.get(refTo(farMap('far-a')))
  const home = await client.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'kube-system' })
  t.equal(there?.metadata.annotations?.[`${P}/owner-id`], `${home?.metadata.uid}/${namespace}/far`)
  t.equal(await client.get(refTo(farMap('far-a'))), undefined)
  await ground.remove('far')
  await ground.settle(definition, 'far')
  t.equal(await far.get(refTo(farMap('far-a'))), undefined)
  t.equal(await ground.read('far'), undefined)
})

/** The remote cluster's, with these fields besides. */
const changedKubeConfig = (cluster: object, user: object = {}): string => {
  const file = parse(remote.kubeconfig)
  Object.assign(file.clusters[0].cluster, cluster)
  Object.assign(file.users[0].user, user)
  return stringify(file)
}

t.test('CO-93 kubeconfigs that would do more than lead to a cluster are refused, and nothing is asked', async t => {
  const wrong: [what: RegExp, cluster: object, user: object][] = [
    [/exec/, {}, { exec: { command: 'touch', args: ['/tmp/espalier-was-here'] } }],
    [/auth-provider/, {}, { 'auth-provider': { name: 'oidc' } }],
    [/tokenFile/, {}, { tokenFile: '/etc/passwd' }],
    [/client-certificate/, {}, { 'client-certificate': '/etc/passwd' }],
    [/proxy-url/, { 'proxy-url': 'http://127.0.0.1:1' }, {}],
    [/insecure-skip-tls-verify/, { 'insecure-skip-tls-verify': true }, {}],
    [/https/, { server: remote.url.replace('https:', 'http:') }, {}],
  ]
  const bad = wrong.map(([what, cluster, user]): [RegExp, string] => [what, changedKubeConfig(cluster, user)])
  const definition = ground.define({ options: { kubeConfigHosts: hosts } })
  await ground.plant('refused', {
    objects: [configMap('refused-a')],
    kubeConfig: { secretRef: { name: 'refused', key: 'k' } },
  })
  await client.create(secret('refused', { k: '' }), writer)
  for (const [what, text] of bad) {
    const { data } = secret('', { k: text })
    await client.patch(refTo(secret('refused', {})), { type: 'merge', body: { data } }, writer)
    matches(t, await ground.settle(definition, 'refused'), { outcome: 'failed', reason: what })
    matches(t, (await ground.status('refused')).ready, { reason: 'Error', message: what })
  }
  const { data } = secret('', { k: remote.kubeconfig })
  await client.patch(refTo(secret('refused', {})), { type: 'merge', body: { data } }, writer)
  matches(
    t,
    await ground.settle(ground.define(), 'refused'),
    { outcome: 'failed', reason: /loopback/ },
    'a host off the list',
  )
})

/** An Orchard behind this kubeconfig, called as long as it asks to be called at once. */
const behind = async (
  name: string,
  kubeConfig: string,
  {
    kubeConfigHosts,
    ...change
  }: { kubeConfigHosts: readonly string[] } & Partial<Omit<CallContext, 'kubeConfigHosts'>>,
) => {
  await client.create(secret(`${name}-access`, { value: kubeConfig }), writer)
  await ground.plant(name, { objects: [farMap(`${name}-a`)], kubeConfig: { secretRef: { name: `${name}-access` } } })
  const outcome = await ground.settle(ground.define({ options: { kubeConfigHosts } }), name, change)
  return { outcome, ready: (await ground.status(name)).ready }
}

t.test('RE-29 what a cluster echoes of the credentials in its kubeconfig is not told', async t => {
  const authority = await newAuthority('echoing')
  const tls = await authority.serving({ ip: ['127.0.0.1'] })
  const token = 'c4n4ry-of-the-far-cluster'
  const echo = ({ headers }: { headers: IncomingHttpHeaders }) => ({
    ...refusal(403, 'Forbidden'),
    message: `nobody here is called ${headers.authorization}`,
  })
  const echoes = await scriptedServer(t, (asked, answer) => json(answer, 403, echo(asked)), { tls })
  const there = { server: echoes.url, 'certificate-authority-data': base64(authority.certificate) }
  const file = parse(changedKubeConfig(there))
  file.users[0].user = { token }
  const { outcome, ready } = await behind('echoed', stringify(file), { kubeConfigHosts: hosts })
  t.ok(echoes.asked.some(({ headers }) => headers.authorization === `Bearer ${token}`))
  t.equal(ready.message, 'The message quotes a Secret and is left out')
  lacks(t, JSON.stringify([outcome, ready, await ground.events('echoed')]), 'c4n4ry')
})

t.test('CO-145 RE-29 nor is it in the log where a long answer is shortened', async t => {
  const token = 'c4n4ry-of-the-far-cluster'
  const causes = [{ field: 'data', message: 'Invalid value: field is immutable' }]
  const message = `ConfigMap "a" is invalid: data: Invalid value: "${token.repeat(20)}": field is immutable`
  const refused = new ApiError({ code: 422, reason: 'Invalid', message, details: { causes } })
  const echoing = altered(far, real => ({
    create: (object, options) => (object.kind === 'ConfigMap' ? Promise.reject(refused) : real.create(object, options)),
  }))
  const file = parse(remote.kubeconfig)
  file.users[0].user = { token }
  const memory = { ...processMemory(), remoteClient: async () => readOnly(echoing) }
  const { log, lines } = keptLog()
  const { ready } = await behind('shortened', stringify(file), { kubeConfigHosts: hosts, memory, log })
  matches(t, ready.message, /: ConfigMap "a" is invalid: data: Invalid value: field is immutable$/)
  matches(t, inspect(lines, { depth: 10 }), /detail: 'The message quotes a Secret and is left out'/)
  lacks(t, inspect(lines, { depth: 10 }), 'c4n4ry')
})

t.test('RE-29 what a cluster echoes of those credentials for a write is not told', async t => {
  const token = 'c4n4ry-of-the-far-cluster'
  const denied = new ApiError({ code: 403, reason: 'Forbidden', message: `nobody here is called ${token}` })
  const echoing = altered(far, real => ({
    create: (object, options) => (object.kind === 'ConfigMap' ? Promise.reject(denied) : real.create(object, options)),
  }))
  const file = parse(remote.kubeconfig)
  file.users[0].user = { token }
  const memory = { ...processMemory(), remoteClient: async () => readOnly(echoing) }
  const { outcome, ready } = await behind('denied', stringify(file), { kubeConfigHosts: hosts, memory })
  t.equal(ready.message, 'The message quotes a Secret and is left out')
  const events = await far.list({ apiVersion: 'v1', kind: 'Event', namespace: remote.namespace })
  const about = events.filter(({ involvedObject }) => (involvedObject as { name: string }).name === 'denied-a')
  t.strictSame(
    about.map(({ message }) => message),
    ['The message quotes a Secret and is left out'],
  )
  lacks(t, JSON.stringify([outcome, ready, await ground.events('denied')]), 'c4n4ry')
})

t.test('CO-93 a host off the list is refused', async t => {
  const there = changedKubeConfig({ server: 'https://api.example.net' })
  const { outcome, ready } = await behind('elsewhere', there, { kubeConfigHosts: ['*.example.com'] })
  matches(t, outcome, { outcome: 'failed', reason: /clusters\[0\]\.cluster\.server.*not an allowed host/ })
  matches(t, ready, {
    reason: 'Error',
    message: /elsewhere-access.*clusters\[0\]\.cluster\.server.*not an allowed host/,
  })
  lacks(t, JSON.stringify([outcome, ready]), 'api.example.net', 'RE-29 which host it is stays in the Secret')
})

t.test('CO-93 a redirect is an error, and is not followed', async t => {
  const authority = await newAuthority('redirects')
  const tls = await authority.serving({ ip: ['127.0.0.1'] })
  const aim = await scriptedServer(t, (_, answer) => json(answer, 200, configMap('a')), { tls })
  const sends = await scriptedServer(t, ({ path }, answer) => json(answer, 307, {}, { location: aim.url + path }), {
    tls,
  })
  const there = changedKubeConfig({ server: sends.url, 'certificate-authority-data': base64(authority.certificate) })
  const { outcome, ready } = await behind('redirected', there, { kubeConfigHosts: hosts })
  matches(t, outcome, { outcome: 'failed', reason: /answered 307/ })
  matches(t, ready, { reason: 'Error', message: /GET \/api.*answered 307/ })
  t.equal(sends.asked.length, 1, 'once: a redirect is no trouble that passes')
  t.equal(aim.dials(), 0)
})

t.test('FN-12 requests to a cluster behind a kubeconfig are counted and carry our User-Agent', async t => {
  const authority = await newAuthority('refusing')
  const tls = await authority.serving({ ip: ['127.0.0.1'] })
  const refusing = await scriptedServer(t, (_, answer) => json(answer, 403, refusal(403, 'Forbidden')), { tls })
  const there = { server: refusing.url, 'certificate-authority-data': base64(authority.certificate) }
  await client.create(secret('counted-access', { value: changedKubeConfig(there) }), writer)
  await ground.plant('counted', {
    objects: [farMap('counted-a')],
    kubeConfig: { secretRef: { name: 'counted-access' } },
  })
  const notes: RequestNote[] = []
  const asking = { userAgent: 'espalier/1.2.3', onRequest: (note: RequestNote) => notes.push(note) }
  const definition = ground.define({ options: { kubeConfigHosts: hosts } })
  await ground.settle(definition, 'counted', { clusters: clusters({ local: ground.own, client: asking }) })
  t.not(refusing.asked.length, 0)
  t.strictSame(
    notes.map(({ code, method }) => [code, method]),
    refusing.asked.map(({ method }) => ['403', method]),
  )
  t.strictSame(new Set(refusing.asked.map(({ headers }) => headers['user-agent'])), new Set(['espalier/1.2.3']))
})

t.test('CO-93 a name that resolves to loopback is refused at the dial', async t => {
  const api = await scriptedServer(t, (_, answer) => json(answer, 200, configMap('a')))
  resolvesToLoopback(t, 'inside.example')
  const there = changedKubeConfig({ server: `https://inside.example:${api.port}` })
  const { outcome, ready } = await behind('looped', there, { kubeConfigHosts: ['*'] })
  matches(t, outcome, { outcome: 'failed', reason: /looped-access: .*loopback/ })
  matches(t, ready, { reason: 'Error', message: /looped-access: .*loopback/ })
  lacks(t, JSON.stringify([outcome, ready]), 'inside.example', 'RE-29 which name it is stays in the Secret')
  t.equal(api.dials(), 0)
})

t.test('RE-16 FN-33 a cluster that hangs is named in the status, and the call ends in time to say so', async t => {
  const authority = await newAuthority('hanging')
  const tls = await authority.serving({ ip: ['127.0.0.1'] })
  const certificate = base64(authority.certificate)
  const hanging = await scriptedServer(t, () => undefined, { tls })
  const places = { 'hanging-requests': hanging.port, 'hanging-handshakes': await portThatOnlyAccepts(t) }
  const calls = Object.entries(places).map(async ([name, port]) => {
    const there = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': certificate }
    const asHosted = { kubeConfigHosts: hosts, clusters: clusters({ local: ground.own }) }
    const { outcome, ready } = await behind(name, changedKubeConfig(there), asHosted)
    matches(t, outcome, { outcome: 'failed', requeueAfterSeconds: Number }, name)
    const message = new RegExp(
      `with the kubeconfig in the Secret ${namespace}/${name}-access: .* did not answer in time`,
    )
    matches(t, ready, { reason: 'Error', message }, name)
    lacks(t, ready.message, String(port), 'RE-29 its address stays in the Secret')
  })
  await Promise.all(calls)
})

/** Nothing ever comes from it, not even its part of TLS. */
const portThatOnlyAccepts = async (t: Test): Promise<number> => {
  const sockets: Socket[] = []
  const server = createServer(socket => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const account = async (name: string, rules: object[]): Promise<void> => {
  const metadata = { name, namespace }
  const group = 'rbac.authorization.k8s.io'
  const objects: KubeObject[] = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules },
    {
      apiVersion: `${group}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: group, kind: 'Role', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ]
  for (const object of objects) await client.create(object, writer)
}

const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete']
const configMaps = { apiGroups: [''], resources: ['configmaps'], verbs }

t.test('CO-94 impersonation: what the service account may not, the component may not', async t => {
  await account('gardener', [configMaps])
  const options: Partial<ComponentOptions> = {}
  const attempt = async (name: string, spec: object, more = options) => {
    const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: `${name}-sa`, namespace } }
    await ground.plant(name, { objects: [configMap(`${name}-a`), configMap(`${name}-b`), object], ...spec })
    const outcome = await ground.settle(ground.define({ options: more }), name)
    return { outcome, ready: (await ground.status(name)).ready, made: await ground.live(configMap(`${name}-a`)) }
  }
  matches(t, (await attempt('own', {})).ready, { reason: 'Ready' }, 'our own identity')
  const limited = await attempt('limited', { serviceAccountName: 'gardener' })
  matches(t, limited.ready, { reason: 'Error', message: /system:serviceaccount:.*:gardener/ })
  const user = await attempt('user', { impersonationUser: `system:serviceaccount::gardener` })
  matches(t, user.ready, { message: /system:serviceaccount:.*:gardener/ }, 'the component’s namespace')
  const usual = await attempt('usual', {}, { defaultServiceAccount: 'gardener' })
  matches(t, usual.ready, { message: /system:serviceaccount:.*:gardener/ })
  const groups = await attempt('groups', { impersonationUser: 'jane', impersonationGroups: ['system:masters'] })
  matches(t, groups.ready, { reason: 'Ready' })
  const scope = { impersonationScope: 'ownNamespace' as const }
  const before = ground.requests.length
  const foreign = await attempt('foreign', { impersonationUser: 'system:serviceaccount:kube-system:x' }, scope)
  matches(t, foreign.ready, { reason: 'Error', message: /kube-system:x/ })
  t.notOk(
    ground.requests.slice(before).some(({ verb }) => verb === 'list'),
    'nothing is asked',
  )
  matches(t, (await attempt('grouped', { serviceAccountName: 'gardener', impersonationGroups: ['x'] }, scope)).ready, {
    reason: 'Error',
  })
  matches(t, (await attempt('homely', { serviceAccountName: 'gardener' }, scope)).ready, { message: /gardener/ })
})

t.test('CO-94 lookups of hooks and generators are impersonated too', async t => {
  await account('reader', [configMaps])
  const seen: string[] = []
  const asking = ground.define({
    generator: async ({ client, localClient }) => {
      for (const one of [client, localClient])
        await one.list({ apiVersion: 'v1', kind: 'Secret', namespace }).catch(error => seen.push(String(error.message)))
      return []
    },
  })
  await ground.plant('asking', { serviceAccountName: 'reader' })
  await ground.settle(asking, 'asking')
  matches(t, seen, [/reader.*cannot list/, /reader.*cannot list/])
})

/** An Orchard whose template looks something up with each of these kubeconfigs. */
const lookingElsewhere = (kubeconfigs: readonly string[], options: Partial<ComponentOptions> = {}) => {
  const needs = kubeconfigs.map(
    (kubeconfig, n): Lookup => ({
      ...{ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: n % 2 === 0 ? 'kube-system' : 'default' },
      in: { kubeconfig },
    }),
  )
  const render: Render = ({ found }) => (found.size < needs.length ? { needs } : { objects: [] })
  const generator: Generator = (context, namespace, name) => context.render(render, { namespace, name, parameters: {} })
  return ground.define({ generator, options })
}

const counting = (usual: ProcessMemory) => {
  const clients = { opened: 0, closed: 0 }
  const passingClient: ProcessMemory['passingClient'] = async kubeconfig => {
    const { client, close } = await usual.passingClient(kubeconfig)
    clients.opened++
    return {
      client,
      close: () => {
        clients.closed++
        return close()
      },
    }
  }
  return { clients, memory: { ...usual, passingClient } }
}

t.test(
  'CO-126 a Component that acts as an account looks nothing up with a kubeconfig, unless that is allowed',
  async t => {
    await account('curious', [configMaps])
    const { clients, memory } = counting(processMemory())
    const tried = async (name: string, spec: JsonMap, options: Partial<ComponentOptions>, change = {}) => {
      await ground.plant(name, spec)
      await ground.settle(lookingElsewhere([remote.kubeconfig], { kubeConfigHosts: hosts, ...options }), name, {
        memory,
        ...change,
      })
      return (await ground.status(name)).ready
    }
    const user = `system:serviceaccount:${namespace}:curious`
    const message = `Lookups with a kubeconfig are refused for a component that acts as ${user}: an operator allows them with kubeConfigLookups in serverless.yml`
    const curious = { serviceAccountName: 'curious' }
    matches(t, await tried('curious-a', curious, {}), { reason: 'Error', message })
    matches(t, await tried('curious-b', {}, { defaultServiceAccount: 'curious' }), { reason: 'Error', message })
    matches(t, await tried('curious-c', { impersonationUser: user }, {}), { reason: 'Error', message })
    t.equal(clients.opened, 0)
    const allowed = [P.split('.', 1)[0] ?? '']
    matches(t, await tried('curious-d', curious, { kubeConfigLookups: true }), { reason: 'Ready' })
    matches(t, await tried('curious-e', curious, {}, { kubeConfigLookups: allowed }), { reason: 'Ready' })
    matches(t, await tried('curious-f', {}, {}), { reason: 'Ready' }, 'with the rights of the function')
    t.strictSame(clients, { opened: 3, closed: 3 })
  },
)

t.test('CO-127 a kubeconfig leads nowhere unless the operator lists its host', async t => {
  const message =
    /is refused: .* is not an allowed host: an operator can add it to kubeConfigHosts or allowedHosts in serverless.yml/
  await client.create(secret('unlisted-access', { value: changedKubeConfig({ server: 'https://a.example' }) }), writer)
  await ground.plant('unlisted', { kubeConfig: { secretRef: { name: 'unlisted-access' } } })
  await ground.settle(ground.define(), 'unlisted')
  matches(t, (await ground.status('unlisted')).ready, { reason: 'Error', message })
  await ground.plant('unlisted-lookup', {})
  await ground.settle(lookingElsewhere([changedKubeConfig({ server: 'https://a.example' })]), 'unlisted-lookup')
  matches(t, (await ground.status('unlisted-lookup')).ready, { reason: 'Error', message })
  const landscape = await readLandscape('serverless.yml')
  const allowedBy = (inventory: object) => {
    const { component } = landscape.functions
    const events = component?.events.map(event =>
      'inventory' in event && event.inventory.kubeConfigHosts
        ? { inventory: { ...event.inventory, ...inventory } }
        : event,
    )
    const functions = { ...landscape.functions, component: { ...component, events } } as Landscape['functions']
    const { kubeConfigHosts, kubeConfigLookups } = hostContext(
      { ...landscape, functions },
      { clusters: clusters({ local: client }) },
    )
    return { hosts: kubeConfigHosts.component, kubeConfigLookups }
  }
  t.strictSame(allowedBy({}), { hosts: [], kubeConfigLookups: [] }, 'as installed')
  t.strictSame(allowedBy({ kubeConfigHosts: ['a'], kubeConfigLookups: true }), {
    hosts: ['a'],
    kubeConfigLookups: ['component'],
  })
})

t.test('CO-128 a template looks things up in ten clusters at most, and their clients are closed after it', async t => {
  const { clients, memory } = counting(processMemory())
  const kubeconfigs = Array.from({ length: 11 }, (_, n) => `${remote.kubeconfig}# ${n}\n`)
  const tried = async (name: string, count: number) => {
    await ground.plant(name, {})
    await ground.settle(lookingElsewhere(kubeconfigs.slice(0, count), { kubeConfigHosts: hosts }), name, { memory })
    return (await ground.status(name)).ready
  }
  matches(t, await tried('ten', 10), { reason: 'Ready' })
  t.strictSame(clients, { opened: 10, closed: 10 })
  await ground.plant('twice', {})
  const definition = lookingElsewhere([remote.kubeconfig, remote.kubeconfig], { kubeConfigHosts: hosts })
  await ground.settle(definition, 'twice', { memory })
  matches(t, (await ground.status('twice')).ready, { reason: 'Ready' })
  t.strictSame(clients, { opened: 11, closed: 11 }, 'one client for two lookups with one kubeconfig')
  const message = 'Lookups with a kubeconfig are refused in more than 10 clusters in one rendering'
  matches(t, await tried('eleven', 11), { reason: 'Error', message })
  t.equal(clients.closed, clients.opened)
})

t.test('CO-94 behind a kubeconfig the default account still looks things up in the local cluster', async t => {
  await account('homebody', [configMaps, { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }])
  await client.create(secret('abroad-access', { value: remote.kubeconfig }), writer)
  const seen: string[] = []
  const asking = ground.define({
    options: { kubeConfigHosts: hosts, defaultServiceAccount: 'homebody', impersonationScope: 'ownNamespace' },
    generator: async ({ client, localClient }) => {
      for (const one of [client, localClient])
        await one
          .list({ apiVersion: 'v1', kind: 'Secret', namespace })
          .then(() => seen.push('may'))
          .catch(error => seen.push(String(error.message)))
      return []
    },
  })
  await ground.plant('abroad', { kubeConfig: { secretRef: { name: 'abroad-access' } } })
  await ground.settle(asking, 'abroad')
  matches(t, seen, ['may', /homebody.*cannot list/], 'the kubeconfig says who we are there, and nothing of here')
})

t.test('CO-94 behind a kubeconfig: impersonated as configured, and only then', async t => {
  const definition = ground.define({ options: { kubeConfigHosts: hosts } })
  const withDefault = ground.define({ options: { kubeConfigHosts: hosts, defaultServiceAccount: 'traveller' } })
  await account('traveller', [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }])
  await client.create(secret('named-access', { value: remote.kubeconfig }), writer)
  const kubeConfig = { secretRef: { name: 'named-access' } }
  const traveller = `system:serviceaccount::traveller`
  await ground.plant('named', { objects: [farMap('named-a')], kubeConfig, impersonationUser: traveller })
  matches(t, await ground.settle(definition, 'named'), { outcome: 'failed', reason: /:traveller" cannot/ })
  t.equal(await far.get(refTo(farMap('named-a'))), undefined)
  await ground.change('named', { spec: { impersonationUser: null } })
  matches(t, await ground.settle(withDefault, 'named'), { outcome: 'settled' }, 'no default account there')
  t.ok(await far.get(refTo(farMap('named-a'))))
})
