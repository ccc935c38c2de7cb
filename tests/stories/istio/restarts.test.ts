// Restarts of the ingress gateway, the control plane and sidecars, as a cluster sees them.
import t, { type Test } from 'tap'
import { installationOptions } from '../../../functions/istio/rules/installed-objects.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { performStep } from '../../../shared/kube/writes/perform-step.ts'
import { type RestartsGround, restartsGrounds } from '../../harness/istio/restarts-ground.ts'
import { injectedLabel, standInInjector } from '../../harness/istio/stand-in-injector.ts'
import { matches } from '../../harness/matches.ts'
import { dyingAfter } from '../../harness/processes/mortal-process.ts'
import { eventually } from '../../harness/until.ts'
import { image, wellFacts } from '../../make/istio/istio.ts'

const restartsGround = await restartsGrounds(t)
const { annotations } = istioNames
const person = { fieldManager: 'person' }

/** Of a mesh that is as it should be, but what is restarted is looked up. */
const { ingressGateway: _gateway, controlPlane: _controlPlane, sidecars: _sidecars, ...wellMesh } = wellFacts

const workload = (kind: string, name: string, namespace: string, change: JsonMap = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'app', image: 'example.com/app:1' }], terminationGracePeriodSeconds: 0 },
    },
    ...change,
  },
})

const gateway = workload('Deployment', 'istio-ingressgateway', 'istio-system')
const meshWorkloads = [
  gateway,
  workload('Deployment', 'istiod', 'istio-system'),
  workload('DaemonSet', 'istio-cni-node', 'istio-system'),
]

const stampOf = async ({ client }: RestartsGround, { apiVersion, kind, metadata }: KubeObject): Promise<unknown> => {
  const { name, namespace = '' } = metadata
  const live = await client.get({ apiVersion, kind, name, namespace })
  return valueAt(live?.spec, 'template', 'metadata', 'annotations', annotations.restartedAt)
}

const savedIn = async (ground: RestartsGround): Promise<JsonMap> =>
  JSON.parse((await ground.istio()).metadata.annotations?.[annotations.lastApplied] ?? '{}')

/** Patches of a kind fail, as far as a name begins so. */
const refusing =
  (error: Error, refused: KubeObject['kind'], prefix = '') =>
  (real: RestartsGround['client']) => ({
    patch: (async (ref, patch, options) => {
      if (ref.kind === refused && ref.name.startsWith(prefix)) throw error
      return real.patch(ref, patch, options)
    }) as typeof real.patch,
  })

const forbidden = new ApiError({ code: 403, reason: 'Forbidden', message: 'not for you' })

t.test('IS-53 IS-101 a field of the gateway is noted first and restarts the gateway once', async t => {
  const ground = await restartsGround(t, wellMesh)
  await ground.client.create(gateway, person)
  await ground.settle()
  t.equal(await stampOf(ground, gateway), undefined, 'nothing to restart for')
  const fields: readonly JsonMap[] = [
    { numTrustedProxies: 2 },
    { numTrustedProxies: null },
    { forwardClientCertDetails: 'SANITIZE' },
    { trustDomain: 'example.com' },
    { proxyStatsMatcher: { inclusionRegexps: ['b', 'a'] } },
  ]
  let before: unknown
  for (const config of fields) {
    await ground.edit({ config })
    const { restarts: notes = [] } = (await ground.istio()).status ?? {}
    matches(t, await ground.call(), { outcome: 'waiting', requeueAfterSeconds: 1 })
    const [note] = ((await ground.istio()).status?.restarts ?? []).filter(
      one => !notes.some(old => old.digest === one.digest),
    )
    t.equal(note?.target, 'ingressGateway', 'it is noted')
    t.equal(await stampOf(ground, gateway), before, 'nothing is restarted yet')
    await ground.pass(1)
    matches(t, await ground.call(), { outcome: 'settled' })
    const stamp = await stampOf(ground, gateway)
    t.not(stamp, before, 'it is restarted')
    await ground.pass(1)
    await ground.call()
    t.equal(await stampOf(ground, gateway), stamp, 'once')
    before = stamp
  }
  await ground.edit({ config: { proxyStatsMatcher: { inclusionRegexps: ['a', 'b'] } } })
  await ground.settle()
  t.equal(await stampOf(ground, gateway), before, 'the order means nothing')
})

t.test('IS-57 NetworkPolicies restart gateway, istiod and CNI plugin once, those that are there', async t => {
  const ground = await restartsGround(t, wellMesh)
  for (const object of meshWorkloads) await ground.client.create(object, person)
  await ground.settle()
  await ground.edit({ networkPoliciesEnabled: true })
  matches(t, await ground.settle(), { outcome: 'settled' })
  const stamps = await Promise.all(meshWorkloads.map(object => stampOf(ground, object)))
  t.ok(
    stamps.every(stamp => stamp !== undefined),
    'all are restarted',
  )
  await ground.client.delete(
    { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: 'istio-system', name: 'istio-cni-node' },
    {},
  )
  await ground.pass(10)
  await ground.edit({ networkPoliciesEnabled: false, config: { numTrustedProxies: 1 } })
  matches(t, await ground.settle(), { outcome: 'settled' })
  const [first, second] = await Promise.all(meshWorkloads.slice(0, 2).map(object => stampOf(ground, object)))
  t.equal(first, second, 'what was restarted for two reasons was restarted once')
  t.not(first, stamps[0], 'they are restarted again')
})

t.test('IS-54 without a gateway nothing fails, and the fields count as in force', async t => {
  const ground = await restartsGround(t, wellMesh, { config: { numTrustedProxies: 2 } })
  matches(t, await ground.settle(), { outcome: 'settled' })
  matches(t, await savedIn(ground), { config: { numTrustedProxies: 2 } })
})

t.test('IS-56 a gateway that cannot be restarted is an Error, and its fields are not saved', async t => {
  const ground = await restartsGround(t, wellMesh, { config: { numTrustedProxies: 2 }, networkPoliciesEnabled: true })
  for (const object of meshWorkloads) await ground.client.create(object, person)
  matches(t, await ground.settle(refusing(forbidden, 'Deployment', 'istio-ingress')), {
    outcome: 'failed',
    requeueAfterSeconds: undefined,
  })
  const { status } = await ground.istio()
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  matches(t, status, { state: 'Error', description: 'Failed to restart Ingress Gateway: not for you' })
  matches(t, ready, {
    reason: 'IngressGatewayRestartFailed',
    message: 'Istio Ingress Gateway restart failed: not for you',
  })
  t.equal(valueAt(await savedIn(ground), 'config', 'numTrustedProxies'), undefined, 'not saved')
  t.ok(await stampOf(ground, workload('Deployment', 'istiod', 'istio-system')), 'the others are restarted')
  await ground.pass(1)
  matches(t, await ground.call(), { outcome: 'settled' })
  matches(t, await savedIn(ground), { config: { numTrustedProxies: 2 } })
  matches(t, (await ground.istio()).status, { state: 'Ready', description: undefined })
})

/** The mesh's workloads, and how often each is to be restarted so far. */
const meshUnderRestarts = async (t: Test) => {
  const ground = await restartsGround(t, wellMesh)
  for (const object of meshWorkloads) await ground.client.create(object, person)
  await ground.settle()
  let changes = 0
  const change = () => {
    changes++
    return ground.edit({ config: { numTrustedProxies: changes }, networkPoliciesEnabled: changes % 2 === 1 })
  }
  /** `others`: how often somebody else changed the spec of each. */
  const areRestartedOnce = async (when: string, { others = 0 } = {}) => {
    // Controllers write the workloads too, and are in between now and then: then it is called again.
    for (let tries = 0; tries < 5 && (await ground.settle()).outcome === 'failed'; tries++) await ground.pass(1)
    matches(t, await ground.call(), { outcome: 'settled' }, when)
    const lives = await Promise.all(meshWorkloads.map(object => ground.client.get(refOf(object))))
    const generations = lives.map(live => live?.metadata.generation)
    matches(t, generations, Array(meshWorkloads.length).fill(1 + changes + others), `${when}: each was restarted once`)
    const saved = { config: { numTrustedProxies: changes }, networkPoliciesEnabled: changes % 2 === 1 || undefined }
    matches(t, await savedIn(ground), saved, `${when}: it is saved`)
  }
  return { ground, change, areRestartedOnce }
}

/** As the installation writes: fields that it does not hold go where its manager held them, by whichever verb. */
const installAgain = ({ client }: RestartsGround, object: KubeObject) =>
  performStep(
    { do: 'apply', object, force: true, reclaimFrom: [...installationOptions.reclaimedManagers] },
    { client, fieldManager: installationOptions.fieldOwner, issue: () => Promise.reject(new Error('no certificates')) },
  )

/** Calls of a process a second apart, until it dies. Whether it did, in as many calls as a change takes at most. */
const diesOf = async (ground: RestartsGround, mortal: (real: RestartsGround['client']) => RestartsGround['client']) => {
  for (let calls = 0; calls < 4; calls++) {
    const isDead = await ground.call(mortal).then(
      () => false,
      () => true,
    )
    if (isDead) ground.newProcess()
    await ground.pass(1)
    if (isDead) return true
  }
  return false
}

t.test('RE-01 IS-58 killed after each write, gateway and control plane are restarted once for each change', async t => {
  const { ground, change, areRestartedOnce } = await meshUnderRestarts(t)
  await change()
  for (let lives = 1; lives <= 20; lives++) await diesOf(ground, dyingAfter(1))
  await areRestartedOnce('after every write')
  let deaths = 0
  for (let isDead = true; isDead; deaths += isDead ? 1 : 0) {
    await change()
    isDead = await diesOf(ground, dyingAfter(deaths + 1))
    await areRestartedOnce(`after write ${deaths + 1} alone`)
  }
  t.ok(
    deaths > 6,
    `it was killed after each of ${deaths} writes: two of the status, three restarts, three Events and more`,
  )
  const stamps = await Promise.all(meshWorkloads.map(object => stampOf(ground, object)))
  for (const object of meshWorkloads) await installAgain(ground, object)
  const after = await Promise.all(meshWorkloads.map(object => stampOf(ground, object)))
  t.strictSame(after, stamps, 'an apply leaves the restart')
})

/** Somebody writes each workload once, right before istio does. */
const beforeIstio =
  ({ client }: RestartsGround, merge: JsonMap) =>
  (real: RestartsGround['client']) => {
    const met = new Set<string>()
    return {
      patch: (async (ref, patch, options) => {
        if (ref.apiVersion === 'apps/v1' && !met.has(ref.name))
          await client.patch(ref, { type: 'merge', body: merge }, { fieldManager: 'rival' })
        met.add(ref.name)
        return real.patch(ref, patch, options)
      }) as typeof real.patch,
    }
  }

t.test('RE-09 IS-58 beside a rival each workload is restarted once, and what the rival wrote stays', async t => {
  const { ground, change, areRestartedOnce } = await meshUnderRestarts(t)
  const labels = { 'example.com/rival': 'here' }
  await change()
  await ground.call()
  await ground.pass(1)
  await ground.call(beforeIstio(ground, { metadata: { labels } }))
  const stamps = await Promise.all(meshWorkloads.map(object => stampOf(ground, object)))
  t.notOk(stamps.includes(undefined), 'a label holds up nothing: they are restarted in the same call')
  await areRestartedOnce('beside labels')
  await change()
  await ground.call()
  await ground.pass(1)
  const spec = { minReadySeconds: 1 }
  matches(t, await ground.call(beforeIstio(ground, { spec })), { outcome: 'failed' }, 'another spec is looked at anew')
  await ground.pass(1)
  await areRestartedOnce('beside specs', { others: 1 })
  for (const object of meshWorkloads)
    matches(t, await ground.client.get(refOf(object)), { metadata: { labels }, spec }, object.metadata.name)
})

const { control } = istioNames.namespaces
const proxyImage = (tag: string) => image('proxyv2', tag)
const [stale, fresh] = [{ image: proxyImage('1.29.5') }, { image: proxyImage('1.30.2-distroless') }]
/** As the profile of large clusters wants it. */
const resources = { requests: { cpu: '10m', memory: '192Mi' }, limits: { cpu: '1', memory: '1Gi' } }

/** A mesh with an injector, and workloads in a namespace of users. */
const sidecarGround = async (t: Test, spec: JsonMap = {}) => {
  const ground = await restartsGround(t, wellMesh, spec)
  const { client } = ground
  const injector = await standInInjector(t, client, { ...stale, resources })
  const team = `team-${Math.random().toString(36).slice(2, 8)}`
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } }, person)
  const create = async (...objects: readonly KubeObject[]) => {
    for (const object of objects) await client.create(object, person)
    await inTurn(ground, objects, object => (object?.kind === 'Pod' ? isReady(object) : isRolledOut(object)))
  }
  /** Names of the workloads that were restarted. */
  const restarted = async (objects: readonly KubeObject[]) => {
    const stamps = await Promise.all(objects.map(object => stampOf(ground, object)))
    return objects.filter((_, at) => stamps[at] !== undefined).map(({ metadata }) => metadata.name)
  }
  /** Rollouts end, and a minute passes. */
  const minute = async () => {
    await inTurn(ground, await client.list({ apiVersion: 'apps/v1', kind: 'Deployment' }), isRolledOut)
    const going = (await client.list({ apiVersion: 'v1', kind: 'Pod' })).filter(isDeleting)
    await inTurn(ground, going, pod => pod === undefined)
    await ground.pass(60)
  }
  const upgrade = () => {
    injector.sidecar = { ...fresh, resources }
  }
  return { ground, team, create, restarted, minute, upgrade }
}

/** Waits for one after the other: by then most are as desired. */
const inTurn = async (
  { client }: RestartsGround,
  objects: readonly KubeObject[],
  isDesired: (live: KubeObject | undefined) => boolean,
): Promise<void> => {
  for (const object of objects)
    await eventually(`${refText(refOf(object))} is as desired`, async () => isDesired(await client.get(refOf(object))))
}

const isRolledOut = (live: KubeObject | undefined): boolean =>
  valueAt(live, 'status', 'observedGeneration') === live?.metadata.generation &&
  ['updatedReplicas', 'readyReplicas', 'replicas'].every(
    count => Number(valueAt(live, 'status', count) ?? 0) === valueAt(live, 'spec', 'replicas'),
  )

const isReady = (pod: KubeObject | undefined): boolean =>
  (valueAt(pod, 'status', 'conditions') as JsonMap[] | undefined)?.some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  ) ?? false

const injectedWorkload = (kind: string, name: string, namespace: string): KubeObject => {
  const object = workload(kind, name, namespace)
  return mergePatched(object, { spec: { template: { metadata: { labels: injectedLabel } } } }) as KubeObject
}

const standing = async (ground: RestartsGround) => {
  const { state, description, conditions = [] } = (await ground.istio()).status ?? {}
  const reasonOf = (type: string) => conditions.find(one => one.type === type)?.reason
  return { state, description, ready: reasonOf('Ready'), sidecars: reasonOf('ProxySidecarRestartSucceeded') }
}

t.test(
  'IS-69 IS-80 IS-81 of 47 Deployments 30 are restarted, then 17, each once, and then the mesh is Ready',
  async t => {
    const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t, {
      config: { enableDNSProxying: true },
    })
    const all = Array.from({ length: 47 }, (_, at) => injectedWorkload('Deployment', `shop-${at}`, team))
    await create(...all)
    upgrade()
    const isOnTheWay = { outcome: 'waiting', requeueAfterSeconds: 60 }
    const partly = {
      state: 'Processing',
      ready: 'ReconcileRequeued',
      sidecars: 'ProxySidecarRestartPartiallySucceeded',
    }
    matches(t, await ground.settle(), isOnTheWay)
    t.equal((await restarted(all)).length, 30, '30 in the first call')
    const labels = { target: 'sidecars', kind: 'Deployment', cause: 'image', result: 'restarted' }
    matches(t, ground.measured.filter(({ metric }) => metric === 'istio_restarts_total').length, 30)
    matches(
      t,
      ground.measured.find(({ metric }) => metric === 'istio_restarts_total'),
      { labels, add: 1 },
    )
    const events = await ground.client.list({ apiVersion: 'v1', kind: 'Event', namespace: team })
    const told = events.filter(({ reason }) => reason === 'IstioSidecarRestarted')
    t.equal(told.length, 30, 'an Event for each')
    matches(t, told[0], {
      type: 'Normal',
      message: 'Restarted, because its proxy has another image',
      involvedObject: { kind: 'Deployment' },
    })
    matches(t, await standing(ground), partly)
    await minute()
    matches(t, await ground.call(), isOnTheWay)
    t.equal((await restarted(all)).length, 47, '17 in the second')
    matches(t, await standing(ground), partly)
    t.equal(valueAt(await savedIn(ground), 'config', 'enableDNSProxying'), undefined, 'not saved yet')
    await minute()
    matches(t, await ground.call(), { outcome: 'settled' })
    matches(t, await standing(ground), {
      state: 'Ready',
      ready: 'ReconcileSucceeded',
      sidecars: 'ProxySidecarRestartSucceeded',
    })
    const lives = await ground.client.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: team })
    t.ok(
      lives.every(({ metadata }) => metadata.generation === 2),
      'each was restarted once',
    )
    matches(t, await savedIn(ground), { config: { enableDNSProxying: true } })
    await ground.pass(3600)
    matches(t, await ground.call(), { outcome: 'settled' })
  },
)

/** Pods without an owner. */
const barePods = (
  count: number,
  prefix: string,
  namespace: string,
  labels: Record<string, string> = {},
): KubeObject[] =>
  Array.from({ length: count }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${prefix}-${100 + at}`, namespace, labels },
    spec: { containers: [{ name: 'app', image: 'example.com/app:1' }], terminationGracePeriodSeconds: 0 },
  }))

const injectedOnes = (count: number, prefix: string, namespace: string) =>
  Array.from({ length: count }, (_, at) => injectedWorkload('Deployment', `${prefix}-${100 + at}`, namespace))

/** The API server forgets the first list of Pods in each call after a page of it. `note`: it did. */
const forgetting = (real: RestartsGround['client'], note: () => void): Pick<RestartsGround['client'], 'pages'> => {
  let forgets = true
  return {
    pages: async function* (query) {
      for await (const page of real.pages(query)) {
        yield page
        if (!forgets || query.kind !== 'Pod') continue
        forgets = false
        note()
        throw new ApiError({ code: 410, reason: 'Expired', message: 'the list is forgotten' })
      }
    },
  }
}

/** Three Deployments with sidecars, and a ReplicaSet of nobody, whose Pod is deleted. */
const shopAndTill = async (t: Test) => {
  const { ground, team, create, minute } = await sidecarGround(t)
  await ground.client.create(injectedWorkload('ReplicaSet', 'till', team), person)
  await create(...injectedOnes(3, 'shop', team))
  const pods = () => ground.client.list({ apiVersion: 'v1', kind: 'Pod', namespace: team })
  await eventually('all Pods are ready', async () => (await pods()).filter(isReady).length === 4)
  const isEachRestartedOnce = async () => {
    const deployments = await ground.client.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: team })
    const generations = deployments.map(({ metadata }) => metadata.generation)
    t.strictSame(generations, [2, 2, 2])
    t.equal(ground.requests.filter(({ method }) => method === 'DELETE').length, 1, 'the Pod of the ReplicaSet')
  }
  return { ground, minute, isEachRestartedOnce }
}

t.test(
  'RE-01 IS-77 killed after each write, it restarts a workload once though that cures nothing, and deletes a Pod once',
  async t => {
    const { ground, minute, isEachRestartedOnce } = await shopAndTill(t)
    for (let lives = 1; lives <= 40; lives++) {
      await ground.call(dyingAfter(1)).catch(ground.newProcess)
      await (lives % 10 === 0 ? minute() : ground.pass(1))
    }
    await isEachRestartedOnce()
  },
)

t.test(
  'RE-01 IS-71 IS-88 killed after each write, and each list of Pods forgotten, a removal restarts each workload once',
  async t => {
    const { ground, minute, isEachRestartedOnce } = await shopAndTill(t)
    const { formerSidecars: _, ...removed } = ground.facts
    ground.facts = removed
    await ground.client.delete(refOf(await ground.istio()), {})
    // The API server says when the Istio was deleted, so our clock is set to its clock, and not before the deletion.
    await ground.pass((Date.now() - ground.now().getTime()) / 1000)
    let lists = 0
    const mortal = (real: RestartsGround['client']) => ({ ...dyingAfter(1)(real), ...forgetting(real, () => lists++) })
    for (let lives = 1; lives <= 40; lives++) {
      await ground.call(mortal).catch(ground.newProcess)
      await (lives % 10 === 0 ? minute() : ground.pass(1))
    }
    t.ok(lists > 4, `${lists} lists were forgotten`)
    await isEachRestartedOnce()
    t.equal(await ground.istio(), undefined, 'the Istio is gone')
  },
)

t.test('IS-70 after exactly 30 another call finds that nothing is left', async t => {
  const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t)
  const all = injectedOnes(30, 'shop', team)
  await create(...all)
  upgrade()
  matches(t, await ground.settle(), { outcome: 'waiting', requeueAfterSeconds: 60 })
  t.equal((await restarted(all)).length, 30)
  matches(t, await standing(ground), { state: 'Processing', sidecars: 'ProxySidecarRestartPartiallySucceeded' })
  await minute()
  matches(t, await ground.call(), { outcome: 'settled' })
})

t.test('IS-71 pages of 100 are read until 30 are restarted, and anew when the list is forgotten', async t => {
  const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t)
  const all = injectedOnes(31, 'b', team)
  await create(...barePods(60, 'a', team), ...all, ...barePods(159, 'c', team))
  upgrade()
  await ground.call()
  await ground.pass(1)
  const sizes: number[] = []
  let forgets = false
  const watched = (real: RestartsGround['client']): Partial<RestartsGround['client']> => ({
    pages: async function* (query) {
      for await (const page of real.pages(query)) {
        if (query.kind === 'Pod') sizes.push(query.pageSize ?? 0)
        yield page
        if (forgets && query.kind === 'Pod') {
          forgets = false
          throw new ApiError({ code: 410, reason: 'Expired', message: 'the list is forgotten' })
        }
      }
    },
  })
  const before = ground.requests.length
  matches(t, await ground.call(watched), { outcome: 'waiting', requeueAfterSeconds: 60 })
  t.equal((await restarted(all)).length, 30)
  matches(t, sizes, [100, 100, 100], 'one page of all, and those of Kyma')
  const asked = ground.requests.slice(before).filter(({ verb }) => verb === 'get')
  t.ok(asked.length < 10, `${asked.length} single reads, none for a Pod or its owner`)
  await minute()
  sizes.length = 0
  forgets = true
  matches(t, await ground.call(watched), { outcome: 'waiting', requeueAfterSeconds: 60 })
  matches(t, sizes, [100, 100, 100, 100], 'the first page, and all three anew')
  const lives = await ground.client.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: team })
  t.ok(
    lives.every(({ metadata }) => metadata.generation === 2),
    'nobody was restarted twice',
  )
})

t.test('IS-72 IS-79 Pods that nobody restarts hold up no others, and are told by name', async t => {
  const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t)
  const all = injectedOnes(5, 'z', team)
  await create(...barePods(40, 'a', team, injectedLabel), ...all)
  upgrade()
  matches(t, await ground.settle(), { outcome: 'waiting', requeueAfterSeconds: 60 })
  t.equal((await restarted(all)).length, 5)
  const warned = { state: 'Warning', sidecars: 'ProxySidecarManualRestartRequired' }
  matches(t, await standing(ground), { ...warned, ready: 'ReconcileRequeued' })
  await minute()
  matches(t, await ground.call(), { outcome: 'waiting', requeueAfterSeconds: 3600 })
  matches(t, await standing(ground), {
    ...warned,
    ready: 'ReconcileFailed',
    description:
      'Some Pods with Istio sidecar injection failed to restart. To learn more about the warning, see kyma-system/istio-controller-manager logs: could not restart one or more Istio-injected Pods',
  })
  const condition = (await ground.istio()).status?.conditions?.find(
    ({ type }) => type === 'ProxySidecarRestartSucceeded',
  )
  const names = [100, 101, 102, 103, 104].map(at => `${team}/a-${at}`).join(', ')
  t.equal(
    condition?.message,
    `The sidecars of the following workloads could not be restarted: ${names} and 35 additional workload(s)`,
  )
})

t.test('IS-98 a Pod that nobody restarts is told while others are restarted in portions', async t => {
  const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t)
  const all = injectedOnes(47, 'shop', team)
  await create(...barePods(1, 'a', team, injectedLabel), ...all)
  upgrade()
  const warned = { state: 'Warning', sidecars: 'ProxySidecarManualRestartRequired', ready: 'ReconcileRequeued' }
  for (const count of [30, 47]) {
    matches(t, await ground.settle(), { outcome: 'waiting', requeueAfterSeconds: 60 })
    t.equal((await restarted(all)).length, count)
    matches(t, await standing(ground), warned)
    await minute()
  }
  matches(t, await ground.call(), { outcome: 'waiting', requeueAfterSeconds: 3600 })
  matches(t, await standing(ground), { ...warned, ready: 'ReconcileFailed' })
})

t.test('IS-73 workloads of Kyma come first, and one that is refused delays nobody', async t => {
  const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t)
  const others = injectedOnes(31, 'shop', team)
  const ofKyma = injectedOnes(2, 'zeta', control)
  await create(...others, ...ofKyma)
  upgrade()
  await ground.call()
  await ground.pass(1)
  matches(t, await ground.call(refusing(forbidden, 'Deployment', 'zeta-101')), {
    outcome: 'waiting',
    requeueAfterSeconds: 60,
  })
  matches(t, await restarted(ofKyma), ['zeta-100'])
  t.equal((await restarted(others)).length, 28, 'the others in the same call, within one limit')
  matches(t, await standing(ground), { state: 'Warning', sidecars: 'ProxySidecarManualRestartRequired' })
  await minute()
  matches(t, await ground.call(), { outcome: 'waiting', requeueAfterSeconds: 60 })
  t.equal((await restarted([...ofKyma, ...others])).length, 33)
})

t.test('IS-310 a bare Pod with the label of a module, anywhere, stops no restart', async t => {
  const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t)
  const all = injectedOnes(40, 'shop', team)
  const labels = { ...injectedLabel, 'kyma-project.io/module': 'mine' }
  const bare = barePods(1, 'a', team).map(pod => ({ ...pod, metadata: { ...pod.metadata, labels } }))
  await create(...bare, ...all)
  upgrade()
  for (const count of [30, 40]) {
    matches(t, await ground.settle(), { outcome: 'waiting', requeueAfterSeconds: 60 })
    t.equal((await restarted(all)).length, count)
    await minute()
  }
  await ground.call()
  matches(t, await standing(ground), { state: 'Warning', sidecars: 'ProxySidecarManualRestartRequired' })
})

t.test(
  'IS-76 of 70 Deployments each is restarted once for a field, and Pods made meanwhile are left alone',
  async t => {
    const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t)
    upgrade()
    const all = injectedOnes(70, 'shop', team)
    await create(...all)
    matches(t, await ground.settle(), { outcome: 'settled' })
    await ground.pass(10)
    await ground.edit({ config: { enableDNSProxying: true } })
    const young = injectedWorkload('Deployment', 'young', team)
    for (const count of [30, 60, 70]) {
      matches(t, await ground.settle(), { outcome: 'waiting', requeueAfterSeconds: 60 })
      t.equal((await restarted(all)).length, count)
      await minute()
      if (count === 30) await create(young)
    }
    matches(t, await ground.call(), { outcome: 'settled' })
    matches(t, await restarted([young]), [])
    const lives = await ground.client.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: team })
    t.ok(
      lives.every(({ metadata }) => (metadata.generation ?? 0) <= 2),
      'each once',
    )
  },
)

t.test('IS-125 a change of sidecars that is taken back restarts those again that were restarted for it', async t => {
  const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t)
  upgrade()
  const all = injectedOnes(3, 'shop', team)
  await create(...all)
  matches(t, await ground.settle(), { outcome: 'settled' })
  await ground.pass(10)
  await ground.edit({ config: { enableDNSProxying: true } })
  matches(t, await ground.call(), { outcome: 'waiting', requeueAfterSeconds: 1 })
  await ground.pass(1)
  await ground.call(dyingAfter(1)).catch(() => ground.newProcess())
  const [first, ...more] = await restarted(all)
  t.strictSame(more, [], 'it dies after the first')
  const stamps = async () => Promise.all(all.map(object => stampOf(ground, object)))
  const before = await stamps()
  await minute()
  await ground.edit({ config: { enableDNSProxying: false } })
  matches(t, await ground.settle(), { outcome: 'waiting', requeueAfterSeconds: 60 })
  const after = await stamps()
  t.strictSame(
    all.filter((_, at) => after[at] !== before[at]).map(({ metadata }) => metadata.name),
    [first],
    'it is restarted again, and no other',
  )
  await minute()
  matches(t, await ground.settle(), { outcome: 'settled' })
  t.notOk(JSON.stringify((await ground.istio()).status?.restarts).includes('changingSince'), 'the change is over')
  await minute()
  await ground.settle()
  t.strictSame(await stamps(), after, 'once')
})

t.test(
  'IS-125 a change of gateway or control plane that is taken back after a restart restarts them again',
  async t => {
    const ofGateway = [{ config: { numTrustedProxies: 2 } }, { config: { numTrustedProxies: null } }] as const
    await t.test('a field of the gateway restarts it again', t => isTakenBack(t, [gateway], ofGateway))
    const ofAll = [{ networkPoliciesEnabled: true }, { networkPoliciesEnabled: null }] as const
    await t.test('NetworkPolicies restart all of the mesh again', t => isTakenBack(t, meshWorkloads, ofAll))
  },
)

const isTakenBack = async (t: Test, workloads: readonly KubeObject[], [forth, back]: readonly [JsonMap, JsonMap]) => {
  const ground = await restartsGround(t, wellMesh)
  for (const object of workloads) await ground.client.create(object, person)
  await ground.settle()
  const saved = await savedIn(ground)
  await ground.edit(forth)
  await ground.call()
  await ground.pass(1)
  await ground.call(dyingAfter(workloads.length)).catch(() => ground.newProcess())
  const stamps = async () => Promise.all(workloads.map(object => stampOf(ground, object)))
  const before = await stamps()
  t.ok(before.every(stamp => stamp !== undefined))
  t.strictSame(await savedIn(ground), saved, 'it dies before it is saved')
  await ground.pass(5)
  await ground.edit(back)
  matches(t, await ground.settle(), { outcome: 'settled' })
  const after = await stamps()
  t.notOk(
    after.some((stamp, at) => stamp === before[at]),
    'all are restarted again',
  )
  t.notOk(JSON.stringify((await ground.istio()).status?.restarts).includes('changingSince'), 'the change is over')
  await ground.pass(60)
  await ground.settle()
  t.strictSame(await stamps(), after, 'once')
}

t.test('IS-77 what a restart does not cure is restarted once, and told after ten minutes', async t => {
  const { ground, team, create, restarted, upgrade } = await sidecarGround(t)
  const onDelete = mergePatched(injectedWorkload('StatefulSet', 'a-store', team), {
    spec: { serviceName: 'store', updateStrategy: { type: 'OnDelete' } },
  }) as KubeObject
  const partition = mergePatched(injectedWorkload('StatefulSet', 'b-store', team), {
    spec: { serviceName: 'store', updateStrategy: { rollingUpdate: { partition: 1 } } },
  }) as KubeObject
  const paused = injectedWorkload('Deployment', 'c-paused', team)
  const comesBack = injectedWorkload('Deployment', 'd-back', team)
  const all = [onDelete, partition, paused, comesBack]
  await create(...all)
  await ground.client.patch(refOf(paused), { type: 'merge', body: { spec: { paused: true } } }, person)
  matches(t, await ground.settle(), { outcome: 'waiting', requeueAfterSeconds: 60 })
  t.equal((await restarted(all)).length, 4)
  matches(t, await standing(ground), { state: 'Processing', sidecars: 'ProxySidecarRestartPartiallySucceeded' })
  await areAllReady(ground)
  const stamps = await Promise.all(all.map(object => stampOf(ground, object)))
  await ground.pass(300)
  matches(t, await ground.call(), { outcome: 'waiting', requeueAfterSeconds: 60 })
  matches(t, await standing(ground), { state: 'Processing' })
  await ground.pass(601)
  matches(t, await ground.call(), { outcome: 'waiting', requeueAfterSeconds: 3600 })
  matches(t, await standing(ground), { state: 'Warning', sidecars: 'ProxySidecarManualRestartRequired' })
  matches(t, await Promise.all(all.map(object => stampOf(ground, object))), stamps, 'once')
  await ground.edit({ config: { enableDNSProxying: true } })
  upgrade()
  await ground.pass(10)
  await ground.settle()
  const again = await Promise.all(all.map(object => stampOf(ground, object)))
  t.not(again[3], stamps[3], 'a new target restarts again what can be')
})

/** Nothing that can be rolled out is on its way. */
const areAllReady = ({ client }: RestartsGround) =>
  eventually('Pods are ready', async () =>
    (await client.list({ apiVersion: 'v1', kind: 'Pod' })).every(pod => !isDeleting(pod) && isReady(pod)),
  )

t.test(
  'IS-78 an owner that cannot be restarted is told, and one that meets with a passing trouble is tried again',
  async t => {
    const { ground, team, create, restarted, minute, upgrade } = await sidecarGround(t)
    const all = injectedOnes(3, 'shop', team)
    const [of429, of503, of409] = [429, 503, 409].map(code => injectedWorkload('Deployment', `busy-${code}`, team))
    const denied = injectedWorkload('Deployment', 'denied', team)
    const busy = [of429, of503, of409].flatMap(one => one ?? [])
    await create(...all, ...busy, denied)
    upgrade()
    await ground.call()
    await ground.pass(1)
    const trouble = (real: RestartsGround['client']): Partial<RestartsGround['client']> => ({
      patch: (async (ref, patch, options) => {
        const code = ref.name === 'denied' ? 403 : Number(/^busy-(\d+)/.exec(ref.name)?.[1] ?? 0)
        if (code > 0) throw new ApiError({ code, reason: 'Trouble', message: `trouble ${code}` })
        return real.patch(ref, patch, options)
      }) as typeof real.patch,
    })
    matches(t, await ground.call(trouble), { outcome: 'waiting', requeueAfterSeconds: 60 })
    t.equal((await restarted(all)).length, 3, 'others are restarted')
    const condition = async () =>
      (await ground.istio()).status?.conditions?.find(({ type }) => type === 'ProxySidecarRestartSucceeded')?.message
    t.equal(
      await condition(),
      `The sidecars of the following workloads could not be restarted: ${team}/denied`,
      'the refusal is told, a passing trouble is not',
    )
    await minute()
    matches(t, await ground.call(refusing(forbidden, 'Deployment', 'denied')), {
      outcome: 'waiting',
      requeueAfterSeconds: 60,
    })
    t.equal((await restarted(busy)).length, 3, 'tried again')
    await minute()
    matches(t, await ground.call(refusing(forbidden, 'Deployment', 'denied')), {
      outcome: 'waiting',
      requeueAfterSeconds: 3600,
    })
  },
)

t.test(
  'IS-59 under a lasting Warning flags are saved when they are applied, and nothing is restarted again',
  async t => {
    const { ground, team, create, upgrade } = await sidecarGround(t)
    for (const object of meshWorkloads) await ground.client.create(object, person)
    await create(...barePods(1, 'a', team, injectedLabel))
    upgrade()
    matches(t, await ground.settle(), { outcome: 'waiting', requeueAfterSeconds: 3600 })
    await ground.edit({ networkPoliciesEnabled: true, config: { numTrustedProxies: 2, enableDNSProxying: true } })
    for (let hour = 0; hour < 5; hour++) {
      matches(t, await ground.settle(), { outcome: 'waiting', requeueAfterSeconds: 3600 })
      matches(t, await standing(ground), { state: 'Warning' })
      const saved = await savedIn(ground)
      matches(t, saved, { networkPoliciesEnabled: true, config: { numTrustedProxies: 2 } }, 'saved')
      t.equal(valueAt(saved, 'config', 'enableDNSProxying'), undefined, 'what the Pod has not taken up is not')
      await ground.pass(3600)
    }
    const stamps = await Promise.all(meshWorkloads.map(object => stampOf(ground, object)))
    t.equal(new Set(stamps).size, 1, 'all at once')
    for (const object of meshWorkloads) {
      const live = await ground.client.get(refOf(object))
      t.equal(live?.metadata.generation, 2, `${object.metadata.name} was restarted once`)
    }
  },
)
