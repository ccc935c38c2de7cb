// Judges the judge: the real control plane that the other cluster tests rely on does what a Kubernetes cluster does.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { type ApiClient, apiClient, type KubeObject } from '../harness/clients/api.ts'
import { newAuthority } from '../harness/clients/certificates.ts'
import { type Cluster, newNamespace, ownControlPlane, realCluster, remoteCluster } from '../harness/clusters/cluster.ts'
import { serviceAccountKubeconfig, serviceAccountToken } from '../harness/clusters/service-account.ts'
import { kubernetesRelease } from '../harness/control-plane/binaries.ts'
import { contains, matches, rejects } from '../harness/matches.ts'
import { oracles } from '../harness/oracles.ts'
import { until } from '../harness/until.ts'

const run = promisify(execFile)

function adminOf(t: Test, cluster: Cluster): ApiClient {
  const api = apiClient(cluster, cluster.admin)
  t.teardown(() => api.close())
  return api
}

async function newAccount(api: ApiClient, namespace: string): Promise<{ namespace: string; name: string }> {
  const account = { namespace, name: 'function' }
  await api.call('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: account } })
  return account
}

function podTemplate(image: string, labels: Record<string, string>): object {
  return { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } }
}

function isGone(object: KubeObject | undefined): boolean {
  return object === undefined
}

t.test('it is the Kubernetes it says it is', async t => {
  for (const cluster of [await realCluster(t), await remoteCluster(t)]) {
    const { body } = await adminOf(t, cluster).call('GET', '/version')
    matches(t, body, { gitVersion: kubernetesRelease(), major: '1', minor: kubernetesRelease().split('.')[1] })
  }
})

t.test('RBAC decides what a ServiceAccount may do', async t => {
  const cluster = await realCluster(t)
  const api = adminOf(t, cluster)
  const account = await newAccount(api, await newNamespace(t, cluster))
  const own = apiClient(cluster, { token: await serviceAccountToken(cluster, account) })
  t.teardown(() => own.close())
  const configMaps = `/api/v1/namespaces/${account.namespace}/configmaps`
  t.equal((await own.call('GET', configMaps)).status, 403)

  const subjects = [{ kind: 'ServiceAccount', ...account }]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }
  const body = { metadata: { name: 'view' }, subjects, roleRef }
  await api.call('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${account.namespace}/rolebindings`, { body })
  await own.served(configMaps)
  t.equal((await own.call('GET', configMaps)).status, 200)
  t.equal((await own.call('POST', configMaps, { body: { metadata: { name: 'x' } } })).status, 403)
})

t.test('strangers are not let in', async t => {
  const cluster = await realCluster(t)
  const stranger = await (await newAuthority('stranger')).client({ user: 'admin', groups: ['system:masters'] })
  for (const [credentials, status] of [
    [undefined, 403],
    [stranger, 401],
    [{ token: 'guessed' }, 401],
  ] as const) {
    const api = apiClient(cluster, credentials)
    t.teardown(() => api.close())
    t.equal((await api.call('GET', '/api/v1/namespaces')).status, status)
  }
})

t.test('a Deployment becomes ready, and rolls', async t => {
  const cluster = await realCluster(t)
  const api = adminOf(t, cluster)
  const namespace = await newNamespace(t, cluster)
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const labels = { app: 'web' }
  const spec = { replicas: 2, selector: { matchLabels: labels }, template: podTemplate('web:1', labels) }
  await api.call('POST', deployments, { body: { metadata: { name: 'web' }, spec } })
  const isRolled = (generation: number) => (object?: KubeObject) =>
    object?.status?.observedGeneration === generation &&
    object.status.updatedReplicas === 2 &&
    object.status.readyReplicas === 2 &&
    object.status.replicas === 2
  t.ok(await api.waitFor({ in: deployments, name: 'web', until: isRolled(1) }))

  const body = { spec: { template: podTemplate('web:2', labels) } }
  await api.call('PATCH', `${deployments}/web`, { body, contentType: 'application/strategic-merge-patch+json' })
  t.ok(await api.waitFor({ in: deployments, name: 'web', until: isRolled(2) }))
})

t.test('a Job whose Pod ends is complete', async t => {
  const cluster = await realCluster(t)
  const api = adminOf(t, cluster)
  const jobs = `/apis/batch/v1/namespaces/${await newNamespace(t, cluster)}/jobs`
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'once' }] } }
  await api.call('POST', jobs, { body: { metadata: { name: 'once' }, spec: { template } } })
  t.ok(await api.waitFor({ in: jobs, name: 'once', until: job => job?.status?.succeeded === 1 }))
})

t.test('what belongs to nobody any more is collected', async t => {
  const cluster = await realCluster(t)
  const api = adminOf(t, cluster)
  const configMaps = `/api/v1/namespaces/${await newNamespace(t, cluster)}/configmaps`
  const owner = (await api.call('POST', configMaps, { body: { metadata: { name: 'owner' } } })).body
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata?.uid }]
  await api.call('POST', configMaps, { body: { metadata: { name: 'owned', ownerReferences } } })
  await api.call('DELETE', `${configMaps}/owner`)
  t.notOk(await api.waitFor({ in: configMaps, name: 'owned', until: isGone }))
})

t.test('a deleted namespace goes, with what is in it', async t => {
  const cluster = await realCluster(t)
  const api = adminOf(t, cluster)
  const name = await newNamespace(t, cluster)
  await newAccount(api, name)
  await api.call('DELETE', `/api/v1/namespaces/${name}`)
  t.notOk(await api.waitFor({ in: '/api/v1/namespaces', name, until: isGone }))
})

t.test('a token for the audience "espalier" proves who calls, and does not open the API', async t => {
  const cluster = await realCluster(t)
  const api = adminOf(t, cluster)
  const account = await newAccount(api, await newNamespace(t, cluster))
  const token = await serviceAccountToken(cluster, account, { audience: 'espalier' })
  const user = `system:serviceaccount:${account.namespace}:${account.name}`
  matches(t, decodeJwt(token), { iss: cluster.url, aud: ['espalier'], sub: user })

  const own = apiClient(cluster, { token })
  t.teardown(() => own.close())
  t.equal((await own.call('GET', '/version')).status, 401)
  const review = (spec: object) => api.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: { spec } })
  const accepted = (await review({ token, audiences: ['espalier'] })).body.status
  matches(t, accepted, { authenticated: true, audiences: ['espalier'], user: { username: user } })
  matches(t, (await review({ token })).body.status, { error: /./ })
})

t.test('any ServiceAccount can fetch the keys that tokens are verified with; a stranger cannot', async t => {
  const cluster = await realCluster(t)
  const account = await newAccount(adminOf(t, cluster), await newNamespace(t, cluster))
  const own = apiClient(cluster, { token: await serviceAccountToken(cluster, account) })
  t.teardown(() => own.close())
  const issuer = (await own.call('GET', '/.well-known/openid-configuration')).body
  matches(t, issuer, { issuer: cluster.url, jwks_uri: `${cluster.url}/openid/v1/jwks` })
  const keys = createLocalJWKSet(JSON.parse((await own.call('GET', '/openid/v1/jwks')).text) as JSONWebKeySet)
  const token = await serviceAccountToken(cluster, account, { audience: 'espalier' })
  await t.resolves(jwtVerify(token, keys, { issuer: cluster.url, audience: 'espalier' }))

  const remoteAccount = await newAccount(adminOf(t, await remoteCluster(t)), 'default')
  const foreign = await serviceAccountToken(await remoteCluster(t), remoteAccount, { audience: 'espalier' })
  await rejects(t, jwtVerify(foreign, keys), { code: 'ERR_JWKS_NO_MATCHING_KEY' })

  const anonymous = apiClient(cluster)
  t.teardown(() => anonymous.close())
  t.equal((await anonymous.call('GET', '/openid/v1/jwks')).status, 403)
})

t.test('kubectl and helm work with its kubeconfigs', async t => {
  const cluster = await realCluster(t)
  const { kubectl, helm } = await oracles()
  const nodes = await run(kubectl, ['--kubeconfig', cluster.kubeconfigPath, 'get', 'nodes'])
  matches(t, nodes.stdout, /pretender +Ready/)
  const releases = await run(helm, ['--kubeconfig', cluster.kubeconfigPath, 'list', '--output', 'json'])
  t.strictSame(JSON.parse(releases.stdout), [])

  const account = await newAccount(adminOf(t, cluster), await newNamespace(t, cluster))
  const dir = t.testdir({ kubeconfig: await serviceAccountKubeconfig(cluster, account) })
  const me = await run(kubectl, ['--kubeconfig', join(dir, 'kubeconfig'), 'auth', 'whoami', '--output', 'name'])
  contains(t, me.stdout, 'selfsubjectreview')
})

t.test('an API server that was killed comes back as it was, except that old resourceVersions are too old', async t => {
  const cluster = await ownControlPlane(t, { withControllers: false })
  const api = adminOf(t, cluster)
  const configMaps = '/api/v1/namespaces/default/configmaps'
  const create = (name: string) => api.call('POST', configMaps, { body: { metadata: { name } } })
  const before = (await create('before')).body
  await create('after')

  await cluster.stopApiServer()
  await rejects(t, api.call('GET', '/version'), { code: 'ECONNREFUSED' })
  await cluster.startApiServer()
  t.equal((await api.call('GET', `${configMaps}/before`)).body.metadata?.uid, before.metadata?.uid)
  for await (const event of api.watch(`${configMaps}?watch=1&resourceVersion=${before.metadata?.resourceVersion}`)) {
    matches(t, event, { type: 'ERROR', object: { code: 410, reason: 'Expired' } })
    break
  }

  await cluster.pauseApiServer()
  const answer = api.call('GET', '/version')
  t.equal(await Promise.race([answer, wait(300, 'silence')]), 'silence')
  cluster.resumeApiServer()
  t.equal((await answer).status, 200)
})

t.test('with a short compaction interval the next page of a list is soon too old', async t => {
  const cluster = await ownControlPlane(t, { withControllers: false, etcdCompactionInterval: '1s' })
  const api = adminOf(t, cluster)
  const configMaps = '/api/v1/namespaces/default/configmaps'
  const create = (name: string) => api.call('POST', configMaps, { body: { metadata: { name } } })
  for (const name of ['one', 'two']) await create(name)
  const twoPages = async () => {
    const page = (await api.call('GET', `${configMaps}?limit=1`)).body.metadata
    const next = `${configMaps}?limit=1&continue=${page?.continue}`
    return { next, status: (await api.call('GET', next)).status }
  }
  // On a busy machine even the second one may come too late.
  const { next, status } = await until(twoPages, ({ status }) => status !== 410)
  t.equal(status, 200)
  let tries = 0
  const later = async () => {
    await create(`later-${++tries}`)
    await wait(500)
    return (await api.call('GET', next)).status
  }
  t.equal(await until(later, status => status === 410), 410)
})

t.test('nothing of it outlives its process, however that ends', async t => {
  const harness = join(import.meta.dirname, '..', 'harness', 'control-plane', 'control-plane.ts')
  const script = `
    const { startControlPlane } = await import(${JSON.stringify(harness)})
    const controlPlane = await startControlPlane({ dir: process.argv[1], withControllers: false })
    console.log(JSON.stringify(Object.values(controlPlane.pids())))
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '--eval', script, t.testdir()])
  const [line] = await once(owner.stdout, 'data')
  const pids: number[] = JSON.parse(String(line))
  // What is only waiting to be noticed by its parent has no program any more.
  const alive = () => pids.filter(pid => existsSync(`/proc/${pid}/exe`))
  t.equal(alive().length, 2)
  owner.kill('SIGKILL')
  t.strictSame(await until(alive, pids => pids.length === 0), [])
})
