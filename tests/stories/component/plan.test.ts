// Plans of Components: what a call would do, with nothing written.
import t from 'tap'
import { type Step, settled } from '../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { helm } from '../../../shared/render/helm/helm.ts'
import type { Hook } from '../../../shared/runtime/component/definition/definition.ts'
import { rendering } from '../../../shared/runtime/component.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { type PlannedCall, type PlanSubject, planned } from '../../../shared/runtime/planned.ts'
import { patientRemotes } from '../../harness/clients/patient-remotes.ts'
import { callOf, orchards } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { chart } from '../../make/component/chart.ts'

const ground = await orchards(t)
const { client, own, configMap, plantOf, namespace, name: P, group } = ground
const writer = { fieldManager: 'person' }

const noKey = async (): Promise<never> => {
  throw new Error('this key is made where there is none')
}

const plan = (definition: ReconcileFunction, subject: PlanSubject): Promise<PlannedCall> =>
  planned(definition, subject, {
    ...callOf(clusters({ local: own, client: patientRemotes })),
    home: namespace,
    renderKey: noKey,
  })

/** A function whose call takes these steps. */
const doing = (steps: Step[]): ReconcileFunction => ({
  does: 'reconcile',
  name: 'doing',
  kind: { apiVersion: `${group}/v1`, kind: 'Orchard' },
  gather: async object => object,
  decide: () => ({ steps, status: {}, events: [], next: settled }),
})

const planOf = (definition: ReconcileFunction, name: string) => plan(definition, { key: { namespace, name } })

const orchard = (name: string, objects: readonly KubeObject[], more: object = {}): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Orchard',
  metadata: { name, namespace },
  spec: { objects, ...more },
})

/** All that a plan could write: objects of the namespace with their versions, and Events. */
const stored = async (): Promise<string[]> => {
  const kinds = [
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { apiVersion: 'v1', kind: 'Secret' },
    { apiVersion: 'v1', kind: 'Event' },
    { apiVersion: `${group}/v1`, kind: 'Orchard' },
    { apiVersion: `${group}/v1`, kind: 'Plant' },
  ]
  const lists = await Promise.all(kinds.map(kind => client.list({ ...kind, namespace })))
  return lists.flat().map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`)
}

const brief = ({ steps }: PlannedCall): string[] => steps.map(({ does, object }) => `${does} ${object}`)

t.test('SEE-01 SEE-03 a stored Component: fields, status, Events, later waves, and nothing is written', async t => {
  const definition = ground.define()
  const late = configMap('fig-late', {}, { [`${P}/apply-order`]: '1' })
  const waits = plantOf('fig-tree', { annotations: { [`${P}/status-hint`]: 'has-ready-condition' } })
  await ground.plant('fig', { objects: [configMap('fig-a', { a: '1' }), waits, late] })
  await ground.settle(definition, 'fig')
  await ground.change('fig', { spec: { objects: [configMap('fig-a', { a: '2', b: '3' }), waits, late] } })
  const before = await stored()
  const answer = await planOf(definition, 'fig')
  t.strictSame(await stored(), before)
  t.strictSame([answer.is, answer.object], ['planned', `Orchard ${namespace}/fig`])
  t.strictSame(brief(answer), [`change ConfigMap ${namespace}/fig-a`])
  const fields = answer.steps[0]?.fields ?? []
  matches(
    t,
    fields.filter(({ path }) => path.startsWith('data')),
    [
      { path: 'data.a', before: '1', after: '2' },
      { path: 'data.b', after: '3' },
    ],
  )
  t.strictSame(answer.later, [
    { apiVersion: 'v1', does: 'apply', object: `ConfigMap ${namespace}/fig-late`, on: 'target' },
  ])
  t.ok(answer.status.some(({ path }) => path === 'revision'))
  await ground.settle(definition, 'fig')
  const after = await planOf(definition, 'fig')
  t.strictSame([brief(after), after.next.is], [[], 'waiting'])
  matches(t, after.next, { for: /Plant .*fig-tree/ })
})

t.test('SEE-02 a Component that is not stored yet, and a change of a stored one', async t => {
  const definition = ground.define()
  const before = await stored()
  const fresh = await plan(definition, { object: orchard('elm', [configMap('elm-a', { a: '1' })]) })
  t.strictSame(brief(fresh), [`create ConfigMap ${namespace}/elm-a`])
  t.strictSame(await stored(), before)
  await ground.plant('elm', { objects: [configMap('elm-a', { a: '1' }), configMap('elm-b')] })
  await ground.settle(definition, 'elm')
  const changed = await plan(definition, { object: orchard('elm', [configMap('elm-a', { a: '9' })]) })
  t.strictSame(brief(changed), [`change ConfigMap ${namespace}/elm-a`])
  t.strictSame(changed.later, [
    { apiVersion: 'v1', does: 'delete', object: `ConfigMap ${namespace}/elm-b`, on: 'target' },
  ])
  await ground.change('elm', { spec: { objects: [configMap('elm-a', { a: '9' })] } })
  const real = await planOf(definition, 'elm')
  t.strictSame([brief(real), real.later], [brief(changed), changed.later], 'as the call after the change')
})

t.test('SEE-03 of a long process the blocked steps follow, each with those after which it comes', async t => {
  await ground.plant('steps', { objects: [] })
  const step = { needs: [], waits: [] }
  const definition: ReconcileFunction = {
    ...doing([]),
    picture: () => [
      { ...step, name: 'etcd', is: 'open' },
      { ...step, name: 'kube-apiserver', is: 'blocked', needs: ['etcd'] },
      { ...step, name: 'dashboard', is: 'skipped' },
    ],
  }
  t.strictSame((await planOf(definition, 'steps')).later, [{ does: 'step', object: 'kube-apiserver', after: ['etcd'] }])
})

t.test('SEE-01 the object itself gets a finalizer, and an apply takes fields of another manager', async t => {
  const before = await client.apply(configMap('owned', { a: '1' }), { fieldManager: 'helm' })
  const orchard = await ground.plant('owner', { objects: [] })
  const steps: Step[] = [
    { do: 'addFinalizer', target: orchard, finalizer: 'a.example/b' },
    { do: 'apply', object: configMap('owned', { a: '1' }), force: true, reclaimFrom: ['helm'] },
  ]
  const { itself, steps: found } = await planOf(doing(steps), 'owner')
  t.strictSame(itself, [{ path: 'metadata.finalizers', after: ['a.example/b'] }])
  matches(t, found, [{ does: 'change', fields: [], managers: { before: ['helm'], after: ['doing'] } }])
  t.strictSame(await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'owned' }), before)
})

t.test('SEE-04 a Secret is planned without its fields', async t => {
  const definition = ground.define()
  const word = 'canary-of-the-orchard'
  const secret = (text: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'yew-secret', namespace },
    data: { word: Buffer.from(text).toString('base64') },
  })
  await ground.plant('yew', { objects: [secret('old')] })
  await ground.settle(definition, 'yew')
  await ground.change('yew', { spec: { objects: [secret(word)] } })
  const answer = await planOf(definition, 'yew')
  t.strictSame(answer.steps, [
    { does: 'change', object: `Secret ${namespace}/yew-secret`, apiVersion: 'v1', on: 'target' },
  ])
  t.notOk(JSON.stringify(answer).includes(Buffer.from(word).toString('base64')))
  t.notOk(JSON.stringify(answer).includes(word))
})

t.test('SEE-04 no field of a dependent is shown where a Secret feeds the Component', async t => {
  const data = { value: Buffer.from('canary-in-the-hedge').toString('base64') }
  await client.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hedge', namespace }, data }, writer)
  const definition = ground.define({
    options: { references: [{ path: 'spec.seed', kind: 'Secret', fallbackKeys: ['value'] }] },
    generator: ({ reference }) => [configMap('hedge-a', { word: String(reference('spec.seed')) })],
  })
  const answer = await plan(definition, { object: orchard('hedge', [], { seed: { name: 'hedge' } }) })
  t.strictSame(answer.steps, [
    { does: 'create', object: `ConfigMap ${namespace}/hedge-a`, apiVersion: 'v1', on: 'target' },
  ])
  t.notOk(JSON.stringify(answer).includes('canary-in-the-hedge'))
})

t.test('SEE-07 keys, certificates and the render key are planned, and none is made', async t => {
  const secret = (name: string, type: string) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    type,
    metadata: { name, namespace },
  })
  const certificate = {
    renew: ['authority', 'serving'] as const,
    commonName: 'x',
    names: ['x'],
    authorityDays: 2,
    servingDays: 1,
  }
  const steps: Step[] = [
    { do: 'createSecret', object: secret('minted-key', 'Opaque'), recipe: { make: 'rsaKey', bits: 2048 } },
    { do: 'issueCertificates', into: secret('minted-tls', 'kubernetes.io/tls'), for: certificate },
  ]
  const minted = await plan(doing(steps), { object: orchard('mint', []) })
  t.strictSame(brief(minted), [`create Secret ${namespace}/minted-key`, `create Secret ${namespace}/minted-tls`])
  const template = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: drawn}\ndata: {x: {{ randAlphaNum 8 | quote }}}'
  const drawing = ground.define({ generator: rendering(helm(chart({ 'templates/a.yaml': template }))) })
  t.strictSame(brief(await plan(drawing, { object: orchard('drawn', []) })), [`create ConfigMap ${namespace}/drawn`])
  const secrets = await client.list({ apiVersion: 'v1', kind: 'Secret', namespace })
  t.strictSame(
    secrets.filter(({ metadata: { name } }) => /minted|render-key/.test(name)),
    [],
  )
})

t.test('SEE-05 a step that the API server refuses, and one in a Namespace that the plan makes', async t => {
  const definition = ground.define()
  const wrong = { ...configMap('oak-a'), data: { 'no/key': 'x' } } as KubeObject
  const home = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${namespace}-oak` } }
  const inside = { ...configMap('oak-b', { a: '1' }), metadata: { name: 'oak-b', namespace: home.metadata.name } }
  const answer = await plan(definition, { object: orchard('oak', [wrong, home, inside]) })
  const refused = answer.steps.find(({ does }) => does === 'fail')
  matches(t, refused, { object: `ConfigMap ${namespace}/oak-a`, refusal: /no\/key/ })
  t.ok(brief(answer).includes(`create Namespace ${home.metadata.name}`))
  t.ok(brief(answer).includes(`create ConfigMap ${home.metadata.name}/oak-b`), 'untried, where it would be refused')
})

t.test('SEE-05 a step whose object may not be read', async t => {
  const refusal = 'the account may not read it'
  const blind = (client: Client): Client => ({
    ...client,
    bound: call => blind(client.bound(call)),
    get: async ref => {
      if (ref.name === 'fir-a') throw new ApiError({ code: 403, reason: 'Forbidden', message: refusal })
      return client.get(ref)
    },
  })
  const local = blind(own)
  const call = { ...callOf(clusters({ local, client: patientRemotes })), home: namespace, renderKey: noKey }
  const applying = doing(['fir-a', 'fir-b'].map(name => ({ do: 'apply', object: configMap(name) })))
  const { steps } = await planned(applying, { object: orchard('fir', []) }, call)
  matches(t, steps, [
    { does: 'fail', object: `ConfigMap ${namespace}/fir-a`, refusal },
    { does: 'create', object: `ConfigMap ${namespace}/fir-b` },
  ])
})

t.test('SEE-06 hooks do not run, and the plan ends there', async t => {
  const ran: string[] = []
  const hook: Hook = () => {
    ran.push('hook')
  }
  const definition = ground.define({ hooks: { preReconcile: [hook] } })
  const answer = await plan(definition, { object: orchard('ash', [configMap('ash-a')]) })
  matches(t, answer.steps, [{ does: 'run', object: `Orchard ${namespace}/ash`, hook: 'preReconcile' }])
  t.strictSame(ran, [])
})

t.test('SEE-09 an object that is gone, and one in deletion', async t => {
  const definition = ground.define()
  matches(t, await planOf(definition, 'nobody'), { is: 'gone', steps: [], object: `Orchard ${namespace}/nobody` })
  await ground.plant('box', { objects: [configMap('box-a')] })
  await ground.settle(definition, 'box')
  await ground.remove('box')
  const answer = await planOf(definition, 'box')
  t.strictSame(brief(answer), [`delete ConfigMap ${namespace}/box-a`])
  t.ok(await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'box-a' }))
  await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'not-ours', namespace } }, writer)
})
