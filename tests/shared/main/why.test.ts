// `espalier why`, `tree` and `get` as people give them, with a kubeconfig.
import t from 'tap'
import { componentCrd } from '../../../shared/api/component/crd.ts'
import type { Landscape } from '../../../shared/api/serverless.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { chainText } from '../../../shared/main/cli/chain-text.ts'
import { kindServed } from '../../../shared/main/cli/kinds.ts'
import { ageText } from '../../../shared/runtime/why/explanation.ts'
import { commandLine } from '../../harness/clusters/command-line.ts'
import { crd, established } from '../../harness/component/orchards.ts'
import { contains, matches, rejects } from '../../harness/matches.ts'

const { client, namespace, espalier } = await commandLine(t, [componentCrd()])
const person = { fieldManager: 'person' }

const one = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }

/** A Component as the function leaves it. */
const component = async (name: string, status: object, more: object = {}, place = namespace) => {
  const ref = { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component', namespace: place, name }
  const { namespace: _, name: __, ...kind } = ref
  await client.create(
    { ...kind, metadata: { name, namespace: place }, spec: { source: { manifests: [one] }, ...more } },
    person,
  )
  await client.patch(ref, { type: 'merge', body: { status } }, { ...person, subresource: 'status' })
}

t.test('FW-40 a kind of an operator is found by its watch in this cluster, without definitions', async t => {
  const watch = { apiVersion: 'example.org/v1', kind: 'Fig', on: ['generation'], map: 'self' }
  const events = [{ watch }, { watch: { ...watch, kind: 'Plum', cluster: 'runtimes' } }]
  const landscape = { functions: { fig: { events } } } as unknown as Landscape
  const process = { landscape, local: { list: async () => [] } as unknown as Client }
  t.strictSame(await kindServed('figs', process), { apiVersion: 'example.org/v1', kind: 'Fig' })
  await rejects(t, kindServed('plum', process), {
    message: /^plum is not a known kind; expected one of Fig, Namespace/,
  })
})

const ready = (status: string, message: string) => ({
  conditions: [{ type: 'Ready', status, reason: 'R', message, lastTransitionTime: '2020-01-01T00:00:00Z' }],
})

await component('broken', {
  state: 'Error',
  ...ready('False', 'the chart has no such version'),
})
await component('slow', {
  state: 'Processing',
  ...ready('False', 'waits for Job lost'),
  inventory: [
    { group: 'batch', version: 'v1', kind: 'Job', name: 'lost', namespace, phase: 'Creating', status: 'InProgress' },
  ],
})
await component('well', { state: 'Ready', ...ready('True', 'all is ready') })
await component('going', {})
const going = { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component', namespace, name: 'going' }
const finalizers = (names: string[] | null) =>
  client.patch(going, { type: 'merge', body: { metadata: { finalizers: names } } }, person)
await finalizers(['example.org/held'])
await client.delete(going, {})
t.teardown(() => finalizers(null))
await component('held', { state: 'Ready', ...ready('True', 'all is ready') }, { suspend: true })

t.test('SEE-31 why: text of the chain, exit 1; as data with -o; exit 0 when ready, 2 when there is none', async t => {
  const { code, out, fault } = await espalier('why', 'component', 'slow')
  t.strictSame([code, fault], [1, ''])
  t.ok(new RegExp(`^Component ${namespace}/slow: waiting for \\d+[yd]`).test(out), out)
  contains(t, out, `\n  waits for Job lost\n  Job ${namespace}/lost: missing\n    does not exist\n`)
  const data = await espalier('why', 'Components', 'slow', '-o', 'json')
  matches(t, JSON.parse(data.out), { is: 'waiting', because: [{ object: `Job ${namespace}/lost`, is: 'missing' }] })
  t.equal((await espalier('why', 'component', 'well')).code, 0)
  for (const output of [[], ['-o', 'json']]) {
    const none = await espalier('why', 'component', 'none', ...output)
    t.strictSame([none.code, none.out], [2, ''])
    contains(t, none.fault, `Component ${namespace}/none does not exist; list objects with espalier get`)
  }
})

t.test('SEE-36 tree: exit 0 when ready', async t => {
  const { code, out } = await espalier('tree', 'component', 'well')
  t.equal(code, 0)
  t.ok(new RegExp(`^Component ${namespace}/well: ready for \\d+[yd]`).test(out), out)
})

t.test(
  'SEE-37 get: trouble first, a sentence of those that are not ready; --not-ready leaves out the others',
  async t => {
    const { code, out } = await espalier('get')
    t.equal(code, 1)
    const shown = out.split('\n').map(line => line.replace(/ +\d+[ydhms]\S* +/, ' ').trim())
    t.strictSame(shown.slice(0, -1), [
      `failed Component ${namespace}/broken`,
      'the chart has no such version',
      `deleting Component ${namespace}/going`,
      'is being deleted; blocked by finalizers: example.org/held',
      `waiting Component ${namespace}/slow`,
      'waits for Job lost',
      `suspended Component ${namespace}/held`,
      'suspended by its field spec.suspend',
      `ready Component ${namespace}/well`,
    ])
    t.notOk((await espalier('get', 'component', '--not-ready')).out.includes('well'))
    const others = await espalier('get', 'component', '--not-ready', '-o', 'json')
    t.equal(JSON.parse(others.out).length, 4)
  },
)

t.test('SEE-56 a kind that only a definition in the cluster knows, by each of its names', async t => {
  const { spec, ...definition } = crd(`${namespace}.example`, 'Ox', 'oxen')
  const names = { kind: 'Ox', plural: 'oxen', singular: 'bull', shortNames: ['bx'] }
  await established(client, { ...definition, spec: { ...(spec as object), names } })
  const metadata = { name: 'one', namespace }
  await client.create({ apiVersion: `${namespace}.example/v1`, kind: 'Ox', metadata }, person)
  for (const word of ['Ox', 'oxen', 'bull', 'bx']) {
    const { code, out } = await espalier('why', word, 'one')
    t.equal(code, 0, word)
    contains(t, out, `Ox ${namespace}/one: ready`)
  }
})

t.test('SEE-11 what a person gets wrong is named with what is expected; exit 2', async t => {
  const cases: [args: string[], fault: string][] = [
    [['why', 'component'], 'expected KIND NAME, found component'],
    [['why', 'frob', 'x'], 'frob is not a known kind; expected one of Component, Garden, Istio'],
    [['why', 'garden', 'x'], 'the cluster does not serve kind Garden'],
    [['get', 'gardens'], 'the cluster does not serve kind Garden'],
    [['get', 'pod'], 'pod is not a known kind; expected one of Component, Garden, Istio, Kyma, Manifest, Watcher'],
    [['get', '-o', 'xml'], '-o is xml: expected json or yaml'],
  ]
  for (const [args, expected] of cases) {
    const { code, fault } = await espalier(...args)
    t.equal(code, 2, args.join(' '))
    contains(t, fault, expected)
  }
})

t.test('SEE-31 the text of a chain: 80 columns, indented by depth, ages as kubectl shows them', async t => {
  const now = new Date('2026-01-01T12:00:00Z')
  const leaf = {
    object: 'Pod shop/a',
    on: 'runtimes/x',
    is: 'waiting',
    says: ['because '.repeat(12).trim()],
    because: [],
    more: 2,
  } as const
  const text = chainText(
    { object: 'Component shop/shop', is: 'failed', since: '2026-01-01T10:00:00Z', says: ['it fails'], because: [leaf] },
    now,
  )
  const [head, ...rest] = text.split('\n')
  t.equal(head, 'Component shop/shop: failed for 120m')
  t.ok(rest.every(line => line.length <= 80))
  t.strictSame(rest.slice(0, 2), ['  it fails', '  Pod shop/a in runtimes/x: waiting'])
  t.strictSame([rest.at(-2)?.startsWith('      because'), rest.at(-1)], [true, '    and 2 more'])
  const ages = [
    '2026-01-01T11:59:58Z',
    '2026-01-01T11:55:00Z',
    '2026-01-01T09:55:00Z',
    '2025-12-30T07:00:00Z',
    '2026-01-01T12:00:05Z',
  ]
  t.strictSame(
    ages.map(since => ageText(since, now)),
    ['2s', '5m', '125m', '2d5h', '0s'],
  )
})
