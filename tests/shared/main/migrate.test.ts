// `espalier migrate` as people give it, for objects that another program has kept.
import t from 'tap'
import { gardenKind } from '../../../shared/api/garden.ts'
import { type JsonMap, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { PlannedCall } from '../../../shared/runtime/planned.ts'
import { commandLine } from '../../harness/clusters/command-line.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { garden } from '../../make/garden/garden.ts'

const { client, namespace, espalier } = await commandLine(t)
const person = { fieldManager: 'person' }
const manager = 'component.core.espalier.dev'
const kind = { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' }

const configMap = (name: string, data: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
})

/** A Component of an object that helm has applied, with a field that the Component does not have. */
const taken = async (name: string) => {
  await client.apply(configMap(`${name}-a`, { a: '1', old: 'x' }), { fieldManager: 'helm' })
  const manifests = [configMap(`${name}-a`, { a: '2' }), configMap(`${name}-b`, {})]
  await client.create({ ...kind, metadata: { name, namespace }, spec: { source: { manifests } } }, person)
}

const live = (ref: { apiVersion: string; kind: string }, name: string) =>
  client.get({ ...ref, namespace, name }, { withManagedFields: true })

const managersOf = (object: KubeObject | undefined) =>
  mapsIn(object?.metadata.managedFields).map((entry: JsonMap) => entry.manager)

t.test('SEE-51 migrate: finalizers, field managers and owner ids that would change; nothing is written', async t => {
  await taken('fig')
  const before = [await live(kind, 'fig'), await live({ apiVersion: 'v1', kind: 'ConfigMap' }, 'fig-a')]
  const { code, out, fault } = await espalier('migrate', 'component', 'fig')
  t.strictSame([code, fault], [1, ''])
  t.strictSame([await live(kind, 'fig'), await live({ apiVersion: 'v1', kind: 'ConfigMap' }, 'fig-a')], before)
  const text = out.replaceAll(/\s+/g, ' ')
  for (const part of [
    'finalizers now: none',
    `Component ${namespace}/fig (component) itself metadata.finalizers: ["${manager}"]`,
    `change ConfigMap ${namespace}/fig-a field managers: helm -> ${manager}`,
    `["${manager}/owner-id"]`,
    `create ConfigMap ${namespace}/fig-b`,
    `other fields: espalier plan component fig -n ${namespace}`,
  ])
    contains(t, text, part)
  lacks(t, text, 'data.old')
  t.ok(
    out.split('\n').every(line => line.length <= 80 || !line.trim().includes(' ')),
    'only a word may be longer',
  )
  const { plans, operators } = JSON.parse((await espalier('migrate', 'component', 'fig', '-o', 'json')).out)
  t.strictSame(operators, [])
  const [{ steps }] = plans as [PlannedCall]
  matches(t, steps.find(({ does }) => does === 'change')?.managers, { before: ['helm'], after: [manager] })
})

t.test('SEE-51 migrate --apply: the functions are called once, and the objects are taken over', async t => {
  await taken('pear')
  const { code, out, fault } = await espalier('migrate', 'component', 'pear', '--apply')
  t.strictSame([code, fault], [0, ''])
  contains(t, out, `component: settled`)
  const after = await live({ apiVersion: 'v1', kind: 'ConfigMap' }, 'pear-a')
  t.strictSame([after?.data, managersOf(after)], [{ a: '2' }, [manager]])
  t.strictSame((await live(kind, 'pear'))?.metadata.finalizers, [manager])
  const again = await espalier('migrate', 'component', 'pear')
  t.equal(again.code, 0, again.out)
  contains(t, again.out, `finalizers now: ${manager}`)
})

t.test('SEE-51 migrate --apply of a Garden: its three functions are called once, and the bring-up begins', async t => {
  const namespaces = ['garden', 'istio-system']
  for (const name of namespaces)
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, person)
  await client.create(garden({ metadata: { finalizers: ['gardener.cloud/operator'] } }), person)
  const shown = await espalier('migrate', 'garden', 'garden')
  t.strictSame([shown.code, shown.fault], [1, ''], shown.out)
  contains(t, shown.out, 'finalizers now: gardener.cloud/operator')
  const stored = () => client.get({ ...gardenKind, namespace: '', name: 'garden' })
  t.equal((await stored())?.status, undefined)
  const { code, out, fault } = await espalier('migrate', 'garden', 'garden', '--apply')
  t.strictSame([code, fault], [0, ''])
  for (const name of ['garden-care', 'garden-reconcile', 'garden-reference']) contains(t, out, `${name}: `)
  matches(t, await stored(), {
    metadata: { finalizers: ['gardener.cloud/operator'] },
    status: { lastOperation: { type: 'Reconcile', state: 'Processing' } },
  })
})

t.test(
  'SEE-51 what speaks against it is said, and nothing is written: a Go operator at work, suspension, a refused step',
  async t => {
    const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template: {} }
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'a' }] } }
    const operator = { name: 'istio-controller-manager', namespace }
    await client.create(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: operator, spec: { ...spec, template } },
      person,
    )
    const istio = { apiVersion: 'operator.kyma-project.io/v1alpha2', kind: 'Istio' }
    await client.create({ ...istio, metadata: { name: 'default', namespace }, spec: {} }, person)
    const shown = await espalier('migrate', 'istio', 'default')
    contains(t, shown.out.replaceAll(/\s+/g, ' '), `a Go operator keeps Istios, too: kubectl scale deployment`)
    const refused = await espalier('migrate', 'istio', 'default', '--apply')
    t.equal(refused.code, 2)
    contains(t, refused.fault, 'a Go operator keeps Istios, too')
    t.strictSame((await live(istio, 'default'))?.status, undefined)

    await taken('plum')
    await espalier('suspend', 'component', 'plum', '--reason', 'wait')
    contains(
      t,
      (await espalier('migrate', 'component', 'plum', '--apply')).fault,
      `it is suspended: espalier resume component plum -n ${namespace} first`,
    )
    const manifests = [configMap('Bad_Name', {})]
    await client.create({ ...kind, metadata: { name: 'bad', namespace }, spec: { source: { manifests } } }, person)
    const bad = await espalier('migrate', 'component', 'bad', '--apply')
    t.equal(bad.code, 2)
    contains(t, bad.fault, 'nothing was written')
    t.strictSame((await live(kind, 'bad'))?.metadata.finalizers, undefined)
    contains(t, (await espalier('migrate', 'component', 'none')).fault, `Component ${namespace}/none does not exist`)
    contains(t, (await espalier('migrate', 'pod')).fault, 'expected KIND NAME, found pod')
  },
)
