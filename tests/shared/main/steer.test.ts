// `espalier reconcile`, `suspend` and `resume` as people give them, with a kubeconfig.
import t from 'tap'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { espalierAnnotations as names } from '../../../shared/core/objects/steering.ts'
import { commandLine } from '../../harness/clusters/command-line.ts'
import { contains, matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'

const { client, namespace, espalier } = await commandLine(t)
const person = { fieldManager: 'person' }

const refTo = (name: string): ObjectRef => ({
  apiVersion: 'core.espalier.dev/v1alpha1',
  kind: 'Component',
  namespace,
  name,
})
const live = async (name: string) => (await client.get(refTo(name))) as KubeObject

const component = async (name: string, spec: object = {}) => {
  const { namespace: _, name: __, ...kind } = refTo(name)
  const one = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }
  await client.create(
    { ...kind, metadata: { name, namespace }, spec: { source: { manifests: [one] }, ...spec } },
    person,
  )
}

/** As the function leaves it. */
const answers = async (name: string, state: string, message: string) => {
  await eventually(
    `${name} is asked for`,
    async () => (await live(name)).metadata.annotations?.[names.reconcileRequestedAt] !== undefined,
  )
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'R', message, lastTransitionTime: '2026-01-01T00:00:00Z' },
  ]
  await client.patch(
    refTo(name),
    { type: 'merge', body: { status: { state, conditions } } },
    { ...person, subresource: 'status' },
  )
  await answered(name)
}

const answered = (name: string) => {
  const annotations = { [names.reconcileRequestedAt]: null }
  return client.patch(refTo(name), { type: 'merge', body: { metadata: { annotations } } }, person)
}

t.test('SEE-42 reconcile: the annotation is set; --wait answers what became of the object', async t => {
  await component('fig')
  const asked = await espalier('reconcile', 'component', 'fig')
  t.strictSame([asked.code, asked.fault], [0, ''])
  const first = (await live('fig')).metadata.annotations?.[names.reconcileRequestedAt]
  await answered('fig')
  t.ok(Number.isFinite(Date.parse(first ?? '')))
  for (const [state, code] of [
    ['Ready', 0],
    ['Error', 1],
  ] as const) {
    const [waited] = await Promise.all([
      espalier('reconcile', 'component', 'fig', '--wait', '--timeout', '30'),
      answers('fig', state, 'so it is'),
    ])
    t.equal(waited.code, code, waited.fault)
    contains(t, waited.out, `Component ${namespace}/fig is ${code === 0 ? 'ready' : 'failed: so it is'}`)
  }
  const [late] = await Promise.all([
    espalier('reconcile', 'component', 'fig', '--wait', '--timeout', '3'),
    answers('fig', 'Processing', 'not yet'),
  ])
  t.equal(late.code, 1, late.fault)
  contains(t, late.out, `Component ${namespace}/fig is waiting after 3 s: not yet`)
})

t.test('SEE-42 what is in the way of a call is said, exit 2: nobody answers, suspended, missing, no time', async t => {
  await component('pear')
  const rows: [args: string[], fault: string][] = [
    [['component', 'pear', '--wait', '--timeout', '1'], 'no function worked on Component'],
    [['component', 'pear', '--wait', '--timeout', 'soon'], '--timeout is soon: expected a number of seconds'],
    [['component', 'none'], `Component ${namespace}/none does not exist; list objects with espalier get`],
    [['pod', 'x'], `Pod ${namespace}/x does not exist`],
  ]
  for (const [args, fault] of rows) {
    const run = await espalier('reconcile', ...args)
    t.equal(run.code, 2)
    contains(t, run.fault, fault)
  }
  await espalier('suspend', 'component', 'pear', '--reason', 'why not')
  const { code, fault } = await espalier('reconcile', 'component', 'pear')
  t.equal(code, 2)
  contains(t, fault, `why not: espalier resume component pear -n ${namespace} first`)
})

t.test('SEE-44 SEE-45 suspend says who, when and why, get and why show it, and resume takes it back', async t => {
  await component('plum', { suspend: true })
  const suspended = await espalier('suspend', 'component', 'plum', '--reason', 'the database moves', '-o', 'json')
  t.equal(suspended.code, 0, suspended.fault)
  const sentence = /^\S.* at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: the database moves$/
  matches(t, JSON.parse(suspended.out), { object: `Component ${namespace}/plum`, suspended: sentence })
  matches(t, (await live('plum')).metadata.annotations?.[names.suspended], sentence)
  for (const args of [
    ['get', 'component'],
    ['why', 'component', 'plum'],
  ]) {
    const { out } = await espalier(...args)
    contains(t, out.replaceAll(/\s+/g, ' '), 'suspended by ')
    contains(t, out.replaceAll(/\s+/g, ' '), ': the database moves')
  }
  t.equal((await espalier('resume', 'component', 'plum')).code, 0)
  const { metadata, spec } = await live('plum')
  t.strictSame([metadata.annotations, (spec as { suspend?: boolean }).suspend], [undefined, undefined])
  contains(t, (await espalier('resume', 'component', 'plum')).out, 'was not suspended')
})

t.test(
  "SEE-44 SEE-45 suspend sets no label; lifecycle-manager's by itself suspends, too, and resume takes it away",
  async t => {
    const label = 'operator.kyma-project.io/skip-reconciliation'
    const specs = {
      Kyma: { channel: 'regular' },
      Manifest: { install: { name: 'a', source: { type: 'oci-ref' } }, remote: true },
    }
    for (const [kind, spec] of Object.entries(specs)) {
      const ref = { apiVersion: 'operator.kyma-project.io/v1beta2', kind, namespace, name: 'basic' }
      const { name, namespace: _, ...type } = ref
      await client.create({ ...type, metadata: { name, namespace }, spec }, person)
      const labels = async () => (await client.get(ref))?.metadata.labels ?? {}
      t.equal((await espalier('suspend', kind, 'basic', '--reason', 'a')).code, 0)
      t.strictSame(await labels(), {}, `${kind}: with the label its deletion would wait`)
      t.equal((await espalier('resume', kind, 'basic')).code, 0)
      const body = { metadata: { labels: { [label]: 'true' } } }
      await client.patch(ref, { type: 'merge', body }, person)
      contains(t, (await espalier('get', kind)).out.replaceAll(/\s+/g, ' '), `suspended by its label ${label}`)
      t.equal((await espalier('resume', kind, 'basic')).code, 0)
      t.strictSame(await labels(), {})
    }
  },
)

t.test('SEE-44 what cannot be suspended is said, exit 2', async t => {
  await component('lime')
  const rows: [args: string[], fault: string][] = [
    [['component', 'lime'], 'expected --reason with a text'],
    [['namespace', namespace, '--reason', 'a'], 'a Namespace cannot be suspended; expected one of Component, Garden'],
  ]
  for (const [args, expected] of rows) {
    const { code, fault } = await espalier('suspend', ...args)
    t.equal(code, 2)
    contains(t, fault, expected)
  }
})
