// The life of a Garden in a real runtime cluster, with real etcds and a real kube-apiserver for its virtual garden. Processes that die in
// the middle of their work tend it (GA-154), a few in each phase.
import t from 'tap'
import { gardenCare } from '../../functions/garden-care/index.ts'
import { gardenReconcile } from '../../functions/garden-reconcile/index.ts'
import { kindRows } from '../../functions/garden-reconcile/rules/objects.ts'
import { isOurs } from '../../functions/garden-reconcile/rules/ownership.ts'
import { seedKind } from '../../functions/garden-reconcile/rules/rotation/virtual-objects.ts'
import { gardenReference } from '../../functions/garden-reference/index.ts'
import { etcdKind } from '../../shared/api/garden/kinds.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import type { GardenerCondition } from '../../shared/core/objects/gardener-condition.ts'
import { type KubeObject, refOf, refText } from '../../shared/core/objects/object.ts'
import { secretText } from '../../shared/core/objects/secret-text.ts'
import { gardenerDefinitions } from '../../shared/embedded/garden/gardener.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import { listIfServed } from '../../shared/kube/reading.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { steadyClient } from '../harness/clients/steady-client.ts'
import { deletionsSeen } from '../harness/clusters/live-deletion.ts'
import { define } from '../harness/clusters/test-definitions.ts'
import { kubernetesRelease } from '../harness/control-plane/binaries.ts'
import { storedBelow } from '../harness/control-plane/etcd-stored.ts'
import { generatedSecret } from '../harness/garden/live-access.ts'
import { etcdClient } from '../harness/garden/live-etcd.ts'
import { liveGarden } from '../harness/garden/live-garden.ts'
import {
  certifiedUser,
  codeFor,
  gardenerKubeconfig,
  makeAccount,
  tokenOfAccount,
} from '../harness/garden/live-users.ts'
import { deploymentRef } from '../harness/garden/live-workloads.ts'
import { matches } from '../harness/matches.ts'
import { garden } from '../make/garden/garden.ts'
import { goGardenDefinition } from '../make/garden/go-definition.ts'
import { type OperatorKey, operatorChecksums, operatorKeys, operatorName } from '../make/garden/operator-secrets.ts'
import { mountedConfigMap } from '../make/garden/virtual-garden.ts'

const version = kubernetesRelease().slice(1)
const kubeAPIServer = { auditConfig: { auditPolicy: { configMapRef: { name: 'audit-policy' } } } }
const subject = garden({ spec: { virtualCluster: { kubernetes: { version, kubeAPIServer } } } })
const live = await liveGarden(t, subject)
const { runtime } = live
const policy = mountedConfigMap('audit-policy', {
  policy: 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: None }]\n',
})
const person = { fieldManager: 'person' }
await runtime.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'garden' } }, person)
await runtime.create(policy, person)

const conditionNow = async (type: string): Promise<GardenerCondition | undefined> =>
  (await live.read())?.status?.conditions?.find(condition => condition.type === type)
const server = 'VirtualGardenAPIServerAvailable'

/** What `kubectl` would do with the kubeconfig of Secret garden/gardener, if its host were known to a DNS server. */
const namespacesByKubeconfig = async (): Promise<string[]> => {
  const { server, ...rest } = await gardenerKubeconfig(live)
  const credentials = { ...rest, serverName: new URL(server).hostname }
  const client = createClient({ server: `https://127.0.0.1:${live.served.port}`, credentials: () => credentials })
  const found = await client.list({ apiVersion: 'v1', kind: 'Namespace' })
  await client.close()
  return found.map(({ metadata }) => metadata.name)
}

t.test('GA-149 a Garden comes up: it is Succeeded, its API server answers, and the kubeconfig leads there', async t => {
  const found = await live.until(garden => garden?.status?.lastOperation?.state === 'Succeeded')
  t.equal(found?.status?.lastOperation?.state, 'Succeeded', found?.status?.lastOperation?.description ?? '')
  await live.call(gardenCare)
  matches(t, await conditionNow('Reconciled'), { status: 'True' })
  matches(t, await conditionNow(server), { status: 'True', reason: 'HealthzRequestSucceeded' })
  t.ok(live.deaths() > 0, 'who brought it up died meanwhile')
  const names = await namespacesByKubeconfig()
  for (const name of ['garden', 'kube-system']) t.ok(names.includes(name), names.join())
})

const keyConfig = (secret: KubeObject): OperatorKey | undefined =>
  operatorKeys.find(key => key === secret.metadata.labels?.name)

const generated = () =>
  runtime.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'garden', labelSelector: 'managed-by=secrets-manager' })

/** Names and content of keys and passwords. */
const keysNow = async () =>
  Object.fromEntries(
    (await generated()).flatMap(({ metadata, data, ...rest }) => {
      const key = keyConfig({ metadata, data, ...rest })
      return key ? [[key, { name: metadata.name, data }] as const] : []
    }),
  )

/** The Secret under the name that a checksum gives. */
const underChecksum = ({ metadata, data, type, ...rest }: KubeObject, checksum: string): KubeObject => {
  const config = metadata.labels?.name ?? ''
  const labels = { ...metadata.labels, 'checksum-of-config': checksum, 'last-rotation-initiation-time': '' }
  const { apiVersion, kind } = rest
  const named = { name: operatorName(config, checksum), namespace: 'garden', labels }
  return { apiVersion, kind, metadata: named, data, type, immutable: true }
}

/** Leaves the Garden as gardener-operator does: its definition, its keys under its names, its word in the status, and a Secret of a program of its own. */
const handOver = async (): Promise<void> => {
  await define(runtime, goGardenDefinition() as KubeObject)
  for (const secret of await generated()) {
    const key = keyConfig(secret)
    if (!key) continue
    await runtime.create(underChecksum(secret, operatorChecksums[key]), person)
    await runtime.delete(refOf(secret), {})
  }
  const labels = { name: dashboard, 'managed-by': 'secrets-manager', 'manager-identity': 'gardener-operator' }
  const session = { apiVersion: 'v1', kind: 'Secret', metadata: { name: dashboard, namespace: 'garden', labels } }
  await runtime.create(underChecksum({ ...session, data: { secret: 'eA==' } }, '12845436262831067011'), person)
  await nameOperator()
}

/** A second after its Secrets, since times have no parts of a second. */
const nameOperator = async (): Promise<void> => {
  const lastUpdateTime = new Date(Date.now() + 1_000).toISOString().replace(/\.\d+Z$/, 'Z')
  const status = {
    gardener: { id: 'c0ffee', name: 'gardener-operator-7d9f', version: (await live.read())?.status?.gardener?.version },
    lastOperation: { lastUpdateTime },
  }
  await runtime.patch(refOf(subject), { type: 'merge', body: { status } }, { ...person, subresource: 'status' })
}

/** Leaves the Garden and its keys as gardener-operator does in a rotation: it writes nothing on them, and the names are its own anyway. */
const handOverRotation = async (): Promise<void> => {
  const keys = (await generated()).filter(secret => keyConfig(secret))
  for (const { apiVersion, kind, metadata } of [...keys, ...[await live.read()].filter(one => one !== undefined)]) {
    const ours = Object.keys(metadata.annotations ?? {}).filter(name => name.startsWith('credentials.gardener.cloud/'))
    const annotations = Object.fromEntries(ours.map(name => [name, null]))
    const target = refOf({ apiVersion, kind, metadata })
    await runtime.patch(target, { type: 'merge', body: { metadata: { annotations } } }, person)
  }
  await nameOperator()
}

const isTakenOver = ({ status } = {} as Garden): boolean =>
  status?.gardener?.name === 'garden-reconcile' && status.lastOperation?.state === 'Succeeded'

const dashboard = 'gardener-dashboard-session-secret'
const second = '13845436262831067012'

const eventsOf = async (reason: string): Promise<string[]> =>
  (await runtime.list({ apiVersion: 'v1', kind: 'Event' }))
    .filter(event => event.reason === reason)
    .map(({ message }) => String(message))

t.test(
  'GA-340 GA-341 GA-343 GA-381 a Garden of gardener-operator is taken over with its keys, and serves all the while',
  async t => {
    const [user, before] = [await certifiedUser(live), await keysNow()]
    t.strictSame(Object.keys(before).sort(), [...operatorKeys].sort())
    await handOver()
    const [authority] = (await generated()).filter(secret => keyConfig(secret) === 'ca')
    if (!authority) throw new TypeError('no authority')
    const planted = underChecksum(authority, second)
    await runtime.create(planted, person)
    const outcome = await live.call(gardenReconcile as ReconcileFunction)
    const names = [authority, planted].map(secret => `Secret garden/${secret.metadata.name}`).sort()
    const fault = `${names.join(', ')}: only one can be the ca of the Garden; delete those that are not in use`
    matches(t, outcome, { outcome: 'waiting', requeueAfterSeconds: 60, reason: fault })
    t.ok((await eventsOf('UnknownSecret')).includes(fault))
    t.equal((await live.read())?.status?.gardener?.name, 'gardener-operator-7d9f', 'nothing is written')
    await runtime.delete(refOf(planted), {})
    // In a process that does not die: what dies between the writes of a pass and its Events tells nothing.
    await live.call(gardenReconcile as ReconcileFunction)
    const found = await live.until(isTakenOver)
    t.equal(found?.status?.lastOperation?.state, 'Succeeded', found?.status?.lastOperation?.description ?? '')
    const expected = operatorKeys.map(key => [
      key,
      { name: operatorName(key, operatorChecksums[key]), data: before[key]?.data },
    ])
    t.strictSame(await keysNow(), Object.fromEntries(expected))
    const kept = JSON.parse(found?.metadata.annotations?.['credentials.gardener.cloud/taken-over'] ?? '{}')
    matches(t, kept.checksums, operatorChecksums)
    const told = await eventsOf('SecretAdopted')
    for (const key of operatorKeys) {
      const name = operatorName(key, operatorChecksums[key])
      const stays = `Secret garden/${name}: stays the ${key} of the Garden, which gardener-operator-7d9f reconciled before`
      t.ok(told.includes(stays), stays)
    }
    t.ok(
      (await generated()).some(({ metadata }) => metadata.name.startsWith(dashboard)),
      'of a program of its own',
    )
    // The Secret that it asks for is made later: a client that is not let in would be told 401.
    t.equal(await codeFor(user), 404, 'a client from before')
  },
)

const secretNamed = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
  stringData: { text: name },
})
const manySecrets = Array.from({ length: 2000 }, (_, index) => secretNamed(`secret-${index}`))

const makeMany = async (left: KubeObject[]): Promise<void> => {
  for (let secret = left.pop(); secret; secret = left.pop()) await live.virtual.create(secret, person)
}

const phasesNow = (garden: Garden | undefined): string[] => {
  const { certificateAuthorities, serviceAccountKey, etcdEncryptionKey, workloadIdentityKey } =
    garden?.status?.credentials?.rotation ?? {}
  return [certificateAuthorities, serviceAccountKey, etcdEncryptionKey, workloadIdentityKey].map(
    rotation => rotation?.phase ?? '',
  )
}

const rotate = async (does: 'start' | 'complete'): Promise<void> => {
  const annotations = { 'gardener.cloud/operation': `rotate-credentials-${does}` }
  await runtime.patch(refOf(subject), { type: 'merge', body: { metadata: { annotations } } }, person)
  const phase = does === 'start' ? 'Prepared' : 'Completed'
  const found = await live.until(garden => phasesNow(garden).every(one => one === phase))
  t.strictSame(phasesNow(found), [phase, phase, phase, phase], found?.status?.lastOperation?.description ?? '')
  t.ok(live.deaths() > 0, `who rotates died meanwhile: ${does}`)
}

/** How many Secrets are stored with which key. */
const keysInUse = async (): Promise<Record<string, number>> => {
  const etcd = await runtime.get({ ...etcdKind, namespace: 'garden', name: 'virtual-garden-etcd-main' })
  if (!etcd) throw new Error('no Etcd')
  const api = await etcdClient(runtime, etcd, { ports: live.etcds.main })
  const stored = await storedBelow(api, '/registry/secrets/')
  await api.close()
  const keys = [...stored.values()].map(value => /^k8s:enc:aescbc:v1:([^:]*):/.exec(value)?.[1] ?? 'none')
  return Object.fromEntries(
    Object.entries(Object.groupBy(keys, key => key)).map(([key, all = []]) => [key, all.length]),
  )
}

const newestKey = async () => secretText(await generatedSecret(runtime, 'kube-apiserver-etcd-encryption-key'), 'key')

/** The answers to those who call the virtual garden's API server, and its Secrets. */
type Moment = {
  readonly codes: Readonly<Record<string, Awaited<ReturnType<typeof codeFor>>>>
  readonly key: string
  readonly keysInUse: Readonly<Record<string, number>>
  readonly secrets: readonly KubeObject[]
}

const momentWith = async (users: Readonly<Record<string, Parameters<typeof codeFor>[0]>>): Promise<Moment> => {
  const codes: Record<string, Awaited<ReturnType<typeof codeFor>>> = {}
  for (const [who, user] of Object.entries(users)) codes[who] = await codeFor(user)
  const secrets = await live.virtual.list({ apiVersion: 'v1', kind: 'Secret', namespace: 'default' })
  return { codes, key: await newestKey(), keysInUse: await keysInUse(), secrets }
}

/** What was seen of one rotation of all credentials. `steady`: of a client that calls all the while. */
type Rotation = {
  readonly formerKey: string
  readonly prepared: Moment
  readonly completed: Moment
  readonly steady: Pick<ReturnType<typeof steadyClient>, 'complaints' | 'succeeded'>
}

const rotated = Promise.withResolvers<Rotation>()
// Whoever waits for it is told.
rotated.promise.catch(() => {})

t.test('GA-342 GA-381 all credentials are rotated, and gardener-operator had prepared it', async t => {
  t.teardown(() => rotated.reject(new Error('nothing was rotated')))
  await Promise.all(gardenerDefinitions.map(definition => define(live.virtual, definition)))
  await live.virtual.create({ apiVersion: seedKind.apiVersion, kind: 'Seed', metadata: { name: 'local' } }, person)
  await makeAccount(live)
  const left = [...manySecrets, secretNamed('steady')]
  await Promise.all(Array.from({ length: 32 }, () => makeMany(left)))
  const [formerUser, formerToken, formerKey] = [
    await certifiedUser(live),
    await tokenOfAccount(live),
    await newestKey(),
  ]
  const steady = steadyClient(formerUser)
  t.teardown(steady.stop)

  await rotate('start')
  await handOverRotation()
  const taken = await live.until(isTakenOver)
  t.ok(isTakenOver(taken), taken?.status?.lastOperation?.description ?? '')
  t.strictSame(phasesNow(taken), ['Prepared', 'Prepared', 'Prepared', 'Prepared'], 'goes on where it was')
  const replacing = (await generated()).filter(
    ({ metadata }) => metadata.annotations?.['credentials.gardener.cloud/replaces'],
  )
  for (const key of ['ca', 'service-account-key', 'kube-apiserver-etcd-encryption-key'])
    t.ok(
      replacing.some(secret => keyConfig(secret) === key),
      `the new ${key} replaces the former`,
    )
  const [user, token] = [await certifiedUser(live), await tokenOfAccount(live)]
  const bearer = { ...user, credentials: token }
  const formerBearer = { ...formerUser, credentials: formerToken }
  const prepared = await momentWith({ formerUser, user, formerBearer, bearer })
  steady.use(user)

  await rotate('complete')
  const newUser = await certifiedUser(live)
  const completed = await momentWith({
    user,
    newUser,
    bearer,
    formerUser: { ...newUser, credentials: formerUser.credentials },
    trustsFormer: { ...newUser, ca: formerUser.ca },
    formerBearer: { ...newUser, credentials: formerToken },
  })
  await steady.stop()
  rotated.resolve({ formerKey, prepared, completed, steady })
})

t.test('GA-344 what a rotation made has the names by which gardener-operator looks for it', async t => {
  await rotated.promise
  const { rotation } = (await live.read())?.status?.credentials ?? {}
  const started = Date.parse(rotation?.certificateAuthorities?.lastInitiationTime ?? '') / 1_000
  const keys = await keysNow()
  for (const key of ['ca', 'ca-client', 'service-account-key', 'kube-apiserver-etcd-encryption-key'] as const)
    t.equal(keys[key]?.name, operatorName(key, operatorChecksums[key], String(started)), key)
})

t.test(
  'GA-150 clients of both authorities are let in, then those of the new one, and who follows misses nothing',
  async t => {
    const { prepared, completed, steady } = await rotated.promise
    matches(t, prepared.codes, { formerUser: 200, user: 200 })
    matches(t, completed.codes, { formerUser: 401, trustsFormer: /certificate/, user: 200, newUser: 200 })
    t.strictSame(steady.complaints, [])
    t.ok(steady.succeeded > 20, `${steady.succeeded} calls`)
  },
)

t.test('GA-151 tokens of both keys are taken, then those of the new one', async t => {
  const { prepared, completed } = await rotated.promise
  matches(t, prepared.codes, { formerBearer: 200, bearer: 200 })
  matches(t, completed.codes, { formerBearer: 401, bearer: 200 })
})

t.test('GA-152 two thousand Secrets are stored with the new key, all readable, and no call on one fails', async t => {
  const { formerKey, prepared, steady } = await rotated.promise
  t.not(prepared.key, formerKey)
  t.strictSame(Object.keys(prepared.keysInUse), [prepared.key])
  t.equal(prepared.secrets.length, manySecrets.length + 1, 'all are readable')
  t.strictSame(steady.complaints, [], 'who reads and writes one of them')
})

t.test('GA-153 all are readable with the new key alone, and no labels are left', async t => {
  const { prepared, completed } = await rotated.promise
  t.strictSame(Object.keys(completed.keysInUse), [prepared.key])
  t.equal(completed.secrets.length, manySecrets.length + 1)
  t.strictSame(
    completed.secrets.filter(({ metadata }) => Object.keys(metadata.labels ?? {}).some(isKeyName)),
    [],
  )
})

const isKeyName = (label: string): boolean => label.startsWith('credentials.gardener.cloud/')

t.test('GA-155 its API server stops and starts: Progressing, False with the real time, True', async t => {
  const began = Date.now()
  const at = (seconds: number) => new Date(began + seconds * 1000)
  const careAt = (seconds: number) => live.call(gardenCare, { now: () => at(seconds) })
  const textOf = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`
  await live.served.stop()
  await careAt(0)
  const failed = { reason: 'HealthzRequestFailed', message: /\[response_time:\d+ms\]/ }
  matches(t, await conditionNow(server), { status: 'Progressing', ...failed, lastTransitionTime: textOf(at(0)) })
  await careAt(61)
  matches(t, await conditionNow(server), { status: 'False', ...failed, lastTransitionTime: textOf(at(61)) })
  const deployment = await runtime.get(deploymentRef('virtual-garden-kube-apiserver'))
  if (!deployment) throw new Error('no Deployment')
  await live.served.rollOut(deployment)
  await careAt(70)
  matches(t, await conditionNow(server), { status: 'True', lastTransitionTime: textOf(at(70)) })
})

/** What goes before the next line begins to go. */
const milestones = [
  /^ManagedResource (plutono|kube-state-metrics|gardener-metrics-exporter-.*)$/,
  /^ManagedResource gardener-(admission-controller|controller-manager|scheduler)-.*$/,
  /^ManagedResource gardener-apiserver-.*$/,
  /^ManagedResource garden-system-virtual$/,
  /^ManagedResource shoot-core-gardeneraccess$/,
  /^(ManagedResource shoot-core|Deployment virtual-garden)-kube-controller-manager$/,
  /^ManagedResource shoot-core-gardener-resource-manager$/,
  /^Deployment virtual-garden-gardener-resource-manager$/,
  /^Gateway virtual-garden-kube-apiserver$/,
  /^Deployment virtual-garden-kube-apiserver$/,
  /^Etcd virtual-garden-etcd-(main|events)$/,
  /^ManagedResource etcd-druid$/,
  /^ManagedResource (vali|virtual-garden-istio)$/,
  /^ManagedResource istio-system$/,
  /^ManagedResource garden-system$/,
  /^Deployment gardener-resource-manager$/,
  /^CustomResourceDefinition .*$/,
]

const watched = [
  { apiVersion: 'resources.gardener.cloud/v1alpha1', kind: 'ManagedResource' },
  { apiVersion: 'druid.gardener.cloud/v1alpha1', kind: 'Etcd' },
  { apiVersion: 'networking.istio.io/v1beta1', kind: 'Gateway' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
]

t.test(
  'GA-156 GA-381 the Garden is deleted: in order, what it refers to is free last, and nothing of it is left',
  async t => {
    await live.call(gardenReference)
    t.strictSame((await runtime.get(refOf(policy)))?.metadata.finalizers, [protection])
    const gone = await deletionsSeen(runtime, watched)
    await runtime.delete(refOf(subject), {})
    const isFreeOfUs = (garden: Garden | undefined) => garden?.metadata.finalizers?.join() === protection
    t.ok(isFreeOfUs(await live.until(isFreeOfUs)), 'only its references are protected')
    t.ok(live.deaths() > 0, 'who takes it down died meanwhile')
    t.strictSame((await runtime.get(refOf(policy)))?.metadata.finalizers, [protection])
    await live.call(gardenReference)
    t.equal(await live.read(), undefined)
    t.strictSame((await runtime.get(refOf(policy)))?.metadata.finalizers, undefined)
    const names = await gone()
    const seen = milestones.map(milestone => names.flatMap((name, index) => (milestone.test(name) ? index : [])))
    t.strictSame(seen.filter(indexes => indexes.length === 0).length, 0, 'each was seen')
    t.strictSame(
      seen.flat(),
      seen.flat().toSorted((one, other) => one - other),
      names.join(),
    )
    t.strictSame(await leftOvers(), [])
  },
)

const protection = 'gardener.cloud/reference-protection'

/** Objects of ours of all kinds that the function makes or brings about. */
const leftOvers = async (): Promise<string[]> => {
  const kinds = [
    ...new Map(kindRows.map(({ apiVersion, kind }) => [`${apiVersion} ${kind}`, { apiVersion, kind }])).values(),
  ]
  const found = await Promise.all(kinds.map(kind => listIfServed(runtime, kind)))
  return found
    .flatMap(objects => objects ?? [])
    .filter(isOurs)
    .map(object => refText(refOf(object)))
}
