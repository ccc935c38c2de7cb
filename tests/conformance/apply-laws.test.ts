// Server-side apply under random sequences of managers: laws that every server has to keep, and on the real cluster the
// same sequences on both servers, which must agree about the object and about who owns what.
import fc from 'fast-check'
import t from 'tap'
import { startEmbeddedCluster } from '../../shared/embedded/start.ts'
import { type ApiClient, apiClient, type KubeObject } from '../harness/clients/api.ts'
import { anyCluster, isRealCluster } from '../harness/clusters/any-cluster.ts'
import { managersOf, specOf } from './shown.ts'

const group = 'laws.example.com'
const texts = { type: 'array', items: { type: 'string' } }
const entry = {
  type: 'object',
  required: ['key'],
  properties: { key: { type: 'string' }, v: { type: 'string' }, w: { type: 'string' } },
}
const spec = {
  type: 'object',
  properties: {
    plain: { type: 'string' },
    set: { ...texts, 'x-kubernetes-list-type': 'set' },
    atomic: { ...texts, 'x-kubernetes-list-type': 'atomic' },
    map: { type: 'array', items: entry, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] },
    struct: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } },
    whole: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    },
  },
}
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `laws.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'laws', kind: 'Law' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
}

type Server = { readonly api: ApiClient; readonly namespace: string }
type Operation = {
  readonly by: string
  readonly spec: Record<string, unknown>
  readonly isForced: boolean
  readonly isApply: boolean
}

const letter = fc.constantFrom('x', 'y', 'z')
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })

const pair = fc
  .record({ a: optional(letter), b: optional(letter) })
  .filter(({ a, b }) => a !== undefined || b !== undefined)
const anySpec = fc.record({
  plain: optional(letter),
  set: optional(fc.uniqueArray(letter, { minLength: 1 })),
  atomic: optional(fc.array(letter, { minLength: 1, maxLength: 2 })),
  map: optional(
    fc.uniqueArray(fc.record({ key: letter, v: optional(letter), w: optional(letter) }), {
      minLength: 1,
      selector: each => each.key,
    }),
  ),
  struct: optional(pair),
  whole: optional(pair),
})
const anyOperation: fc.Arbitrary<Operation> = fc.record({
  by: fc.constantFrom('ann', 'bob', 'cyd'),
  spec: anySpec,
  isForced: fc.boolean(),
  isApply: fc.boolean(),
})

const prepare = async (api: ApiClient, namespace: string): Promise<Server> => {
  await api.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: definition })
  await api.served(`/apis/${group}/v1/laws`)
  return { api, namespace }
}

const pathOf = ({ namespace }: Server, name = ''): string =>
  `/apis/${group}/v1/namespaces/${namespace}/laws${name && `/${name}`}`

const perform = async (
  server: Server,
  name: string,
  { by, spec, isForced, isApply }: Operation,
): Promise<KubeObject> => {
  const body = { apiVersion: `${group}/v1`, kind: 'Law', metadata: { name }, spec: JSON.parse(JSON.stringify(spec)) }
  const path = `${pathOf(server, name)}?fieldManager=${by}`
  const reply = isApply
    ? await server.api.call('PATCH', `${path}&force=${isForced}`, { body, contentType: 'application/apply-patch+yaml' })
    : await server.api.call('PATCH', path, { body: { spec: body.spec }, contentType: 'application/merge-patch+json' })
  return { ...reply.body, code: reply.status }
}

let count = 0
const nextName = (): string => `law-${++count}`

const embedded = await startEmbeddedCluster()
t.teardown(() => embedded.stop())
const ownApi = apiClient(embedded, { token: embedded.adminToken })
t.teardown(() => ownApi.close())
const ours = await prepare(ownApi, 'default')
const runs = isRealCluster ? 40 : 60

const afterAll = async (
  server: Server,
  operations: readonly Operation[],
): Promise<{ name: string; last: KubeObject[] }> => {
  const name = nextName()
  const last: KubeObject[] = []
  for (const operation of operations) last.push(await perform(server, name, operation))
  return { name, last }
}

const operations = fc.array(anyOperation, { minLength: 1, maxLength: 6 })

t.test('FN-65 apply: the same configuration twice changes nothing', async () => {
  const law = fc.asyncProperty(operations, async given => {
    const { name } = await afterAll(ours, given)
    const again: Operation = { by: 'ann', spec: { plain: 'x', set: ['x'] }, isForced: true, isApply: true }
    const first = await perform(ours, name, again)
    const second = await perform(ours, name, again)
    return first.metadata?.resourceVersion === second.metadata?.resourceVersion
  })
  await fc.assert(law, { numRuns: runs, seed: 61 })
})

t.test('FN-65 apply: what is applied with force is there afterwards, and owned', async () => {
  const law = fc.asyncProperty(operations, anySpec, async (given, last) => {
    const { name } = await afterAll(ours, given)
    const object = await perform(ours, name, { by: 'ann', spec: last, isForced: true, isApply: true })
    const isThere = last.plain === undefined || specOf(object).plain === last.plain
    const isOwned = last.plain === undefined || managersOf(object)[`ann Apply ${group}/v1`]?.includes('.spec.plain')
    return object.code !== 409 && isThere && isOwned === true
  })
  await fc.assert(law, { numRuns: runs, seed: 61 })
})

t.test('FN-65 apply: when everyone gives up everything, nothing applied is left', async () => {
  const law = fc.asyncProperty(operations, async given => {
    const { name } = await afterAll(
      ours,
      given.map(each => ({ ...each, isApply: true })),
    )
    for (const by of ['ann', 'bob', 'cyd']) await perform(ours, name, { by, spec: {}, isForced: false, isApply: true })
    const { body } = await ours.api.call('GET', pathOf(ours, name))
    return Object.keys(specOf(body)).length === 0
  })
  await fc.assert(law, { numRuns: runs, seed: 61 })
})

t.test('FN-65 apply: a refused apply leaves the object as it was', async () => {
  const law = fc.asyncProperty(operations, anyOperation, async (given, last) => {
    const { name } = await afterAll(ours, given)
    const before = await ours.api.call('GET', pathOf(ours, name))
    const answer = await perform(ours, name, { ...last, isForced: false, isApply: true })
    const after = await ours.api.call('GET', pathOf(ours, name))
    return answer.code !== 409 || before.text === after.text
  })
  await fc.assert(law, { numRuns: runs, seed: 61 })
})

if (isRealCluster)
  t.test('FN-65 apply: both servers agree about objects and owners', async t => {
    const real = await anyCluster(t)
    const theirs = await prepare(real.api, real.namespace)
    const law = fc.asyncProperty(operations, async given => {
      const [mine, other] = await Promise.all([afterAll(ours, given), afterAll(theirs, given)])
      const meaning = ({ last }: typeof mine) =>
        JSON.stringify(last.map(each => [each.code, specOf(each), managersOf(each)]))
      if (meaning(mine) === meaning(other)) return
      throw new Error(`embedded ${meaning(mine)}\nreal     ${meaning(other)}`)
    })
    await fc.assert(law, { numRuns: runs, seed: 61 })
  })
