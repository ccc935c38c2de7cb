// What garden-care reads, and how it asks the virtual garden's API server: against a server that answers as a test says, under
// a certificate that is good for the virtual garden's name alone.
import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { decide } from '../../../functions/garden-care/decide.ts'
import { gather } from '../../../functions/garden-care/gather.ts'
import { gardenCareSettings } from '../../../functions/garden-care/settings.ts'
import type { World } from '../../../functions/garden-care/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { ApiError, KindNotServed } from '../../../shared/kube/errors.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { base64, type Credentials } from '../../harness/clients/kubeconfig.ts'
import { matches } from '../../harness/matches.ts'
import { SimulatedWorld } from '../../harness/simulated/simulated-world.ts'
import { garden } from '../../make/garden/garden.ts'
import { components, deployment, managedResource } from '../../make/garden/garden-health.ts'
import { accessSecret, virtualGardenHost, virtualGardenKubeconfig } from '../../make/garden/virtual-garden-access.ts'
import { scriptedServer } from '../../shared/kube/scripted-server.ts'

const authority = await newAuthority('virtual garden')
const caData = base64(authority.certificate)
const token = { token: 'the-token-of-gardener' }

const kubeconfigFor = (credentials: Credentials, host?: string) =>
  virtualGardenKubeconfig({ caData, credentials, ...(host && { host }) })

/** What is read in a cluster of these objects, the virtual garden being at this address. */
const gathered = (
  objects: readonly KubeObject[],
  address = '127.0.0.1:1',
  change: Partial<Reads> = {},
): Promise<World> =>
  gather(garden(), {
    reads: { ...new SimulatedWorld(objects).reads, ...change },
    settings: { ...defaultValues(gardenCareSettings), virtualGardenAddress: address },
  })

const healthThrough = async (kubeconfig: string | undefined, address?: string) =>
  (await gathered([accessSecret(kubeconfig)], address)).apiServer

type Answer = (answer: ServerResponse) => void

const answering = async (t: Test, answer: Answer, dns = virtualGardenHost) => {
  const server = await scriptedServer(t, (_, response) => answer(response), {
    tls: await authority.serving({ dns: [dns] }),
  })
  return { ...server, address: `127.0.0.1:${server.port}` }
}

t.test('GA-117 200: asked once for /healthz with the token, under the name of the kubeconfig', async t => {
  const server = await answering(t, answer => answer.end('ok'))
  const health = await healthThrough(kubeconfigFor(token), server.address)
  matches(t, health, { read: { is: 'answered', code: 200, body: 'ok' } })
  matches(t, server.asked, [{ method: 'GET', path: '/healthz', headers: { authorization: `Bearer ${token.token}` } }])
})

t.test('GA-117 other answers are told with their body, and not asked for again', async t => {
  for (const [code, body] of [
    [503, 'etcd failed: reason withheld'],
    [401, '{"kind":"Status","reason":"Unauthorized"}'],
    [302, ''],
    [429, 'later'],
  ] as const) {
    const server = await answering(t, answer => {
      answer.writeHead(code, { 'retry-after': '1', location: 'https://127.0.0.1:1/' })
      answer.end(body)
    })
    matches(t, await healthThrough(kubeconfigFor(token), server.address), { read: { is: 'answered', code, body } })
    t.equal(server.asked.length, 1)
  }
})

t.test('GA-117 of a long body only the beginning is told', async t => {
  const server = await answering(t, answer => answer.writeHead(500).end('x'.repeat(100_000)))
  const health = await healthThrough(kubeconfigFor(token), server.address)
  matches(t, health, { read: { body: /^x{512}$/ } })
})

t.test('GA-116 refused, broken off, not trusted: no answer, after the time it took', async t => {
  const broken = await answering(t, answer => void answer.socket?.destroy())
  const stranger = await answering(t, answer => answer.end('ok'), 'somebody.else')
  for (const [address, error] of [
    ['127.0.0.1:1', /no connection .*\(ECONNREFUSED\)/],
    [broken.address, /the connection ended/],
    [stranger.address, /not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/],
  ] as const) {
    const health = await healthThrough(kubeconfigFor(token), address)
    matches(t, health, { read: { is: 'silent', milliseconds: Number, error } })
  }
})

t.test('GA-116 an answer has 5 s, no more', async t => {
  const server = await answering(t, () => {})
  const limits = t.capture(AbortSignal, 'timeout', () => AbortSignal.abort(new DOMException('late', 'TimeoutError')))
  const health = await healthThrough(kubeconfigFor(token), server.address)
  matches(t, health, { read: { is: 'silent', error: /the call ended before the response arrived/ } })
  t.strictSame(
    limits().map(({ args }) => args),
    [[5_000]],
  )
})

t.test('GA-116 no answer within 5 s, while all else is read', async t => {
  const server = await answering(t, () => {})
  const world = await gathered([accessSecret(kubeconfigFor(token)), ...components()], server.address)
  matches(t, world.apiServer, { read: { is: 'silent', error: /the call ended before the response arrived/ } })
  const { milliseconds } = 'read' in world.apiServer && world.apiServer.read.is === 'silent' ? world.apiServer.read : {}
  t.ok(Number(milliseconds) >= 4_990, `after ${milliseconds} ms, which is the real time`)
  matches(t, world.deployments, { read: (read: unknown[]) => read.length === 7 })
})

t.test('GA-115 no Secret, no kubeconfig in it, one that is none, that leads elsewhere, or has no token', async t => {
  const unknowable = { read: { is: 'unknowable' } }
  matches(t, (await gathered([])).apiServer, unknowable, 'no Secret')
  const certificate = await authority.client({ user: 'gardener' })
  const unusable = {
    'no kubeconfig': undefined,
    empty: '',
    'not YAML': '{',
    'no kubeconfig at all': 'kind: Config',
    'another host': kubeconfigFor(token, 'example.com'),
    'this machine': kubeconfigFor(token, '127.0.0.1'),
    'an empty token': kubeconfigFor({ token: '' }),
    'a certificate instead of a token': kubeconfigFor(certificate),
  }
  const server = await answering(t, answer => answer.end('ok'))
  for (const [what, kubeconfig] of Object.entries(unusable))
    matches(t, await healthThrough(kubeconfig, server.address), unknowable, what)
  t.equal(server.dials(), 0, 'nothing is dialled')
})

t.test('GA-124 each read that fails is told, and takes no other along', async t => {
  const busy = new ApiError({ code: 500, reason: 'InternalError', message: 'etcd is busy' })
  const kinds = { ManagedResource: ['managedResources'], Etcd: ['etcds'] }
  const more = { Deployment: ['deployments'], StatefulSet: ['statefulSets'] }
  for (const [kind, concerned] of Object.entries({ ...kinds, ...more })) {
    const { reads } = new SimulatedWorld(components())
    const list: Reads['list'] = query => (query.kind === kind ? Promise.reject(busy) : reads.list(query))
    const { garden: _, settings: __, ...read } = await gathered([], undefined, { list })
    const failed = Object.entries(read).filter(([, reading]) => 'failed' in reading)
    t.strictSame(
      failed,
      concerned.map(name => [name, { failed: 'etcd is busy' }]),
      kind,
    )
  }
  const get: Reads['get'] = () => Promise.reject(busy)
  const { apiServer, istiod, etcds } = await gathered([], undefined, { get })
  matches(
    t,
    { apiServer, istiod, etcds },
    { apiServer: { failed: 'etcd is busy' }, istiod: { failed: String }, etcds: { read: [] } },
  )
})

t.test('GA-118 without its kind there is none of it', async t => {
  const list: Reads['list'] = query => Promise.reject(new KindNotServed(query))
  const world = await gathered([], undefined, { list })
  matches(t, world, { managedResources: { read: [] }, etcds: { read: [] } })
})

t.test('what is read is what is judged, of namespaces garden and istio-system', async t => {
  const elsewhere = [managedResource('x', {}, 'shoot--a--b'), deployment('y', {}, 'kube-system')]
  const world = await gathered([...components(), deployment('istiod', {}, 'istio-system'), ...elsewhere])
  const names = (reading: World['etcds']) => ('read' in reading ? reading.read.length : reading)
  matches(t, [world.managedResources, world.etcds].map(names), [25, 2])
  matches(t, [world.deployments, world.statefulSets].map(names), [7, 1])
  matches(t, world.istiod, { read: { metadata: { name: 'istiod', namespace: 'istio-system' } } })
  matches(t, world.statefulSets, { read: [{ spec: { replicas: 1 }, status: { readyReplicas: 1 } }] })
})

t.test('GA-192 GA-301 a status that no program should write is a fault of its object alone', async t => {
  const speechless = { toString: 'x', valueOf: 'x' }
  const unready = { type: 'BackupReady', status: 'False', reason: speechless, message: speechless }
  const errors = [{ code: speechless, description: speechless, observedAt: speechless }]
  const odd: unknown[] = [
    ...[null, 'x', { conditions: true }, { conditions: [null, 7], lastErrors: 'x' }],
    { observedGeneration: speechless, ready: true, conditions: [unready], lastErrors: errors },
  ]
  const now = new Date('2026-01-01T12:00:00Z')
  for (const status of odd) {
    const isOdd = ({ metadata }: KubeObject) => ['garden-system', 'virtual-garden-etcd-main'].includes(metadata.name)
    const world = await gathered(components().map(object => (isOdd(object) ? { ...object, status } : object)))
    const { status: fresh } = decide(world, now)
    const { status: judged } = decide({ ...world, garden: garden({ status: fresh } as never) }, now)
    const told = (judged.conditions as { type: string; reason: string }[]).map(({ type, reason }) => [type, reason])
    matches(t, Object.fromEntries(told), {
      RuntimeComponentsHealthy: /^(OutdatedStatus|MissingManagedResourceCondition)$/,
      VirtualComponentsHealthy: 'EtcdUnhealthy',
      ObservabilityComponentsHealthy: 'ObservabilityComponentsRunning',
    })
  }
})
