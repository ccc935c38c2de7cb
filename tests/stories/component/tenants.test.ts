// Tenants: people who may write Components but not do everything. With a service account named, a Component does and reads
// no more than that account.
import t from 'tap'
import type { ComponentSpec } from '../../../shared/api/component.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../shared/core/objects/secret-text.ts'
import { errorText } from '../../../shared/core/text/error-text.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { componentGround, placesWith } from '../../harness/component/component-ground.ts'
import { orchards } from '../../harness/component/orchards.ts'
import { lacks, matches, rejects } from '../../harness/matches.ts'
import { chartFiles, component, configMap } from '../../make/component/component.ts'

const ground = await componentGround(t)
const { client, namespace } = ground
const writer = { fieldManager: 'person' }
const canary = 'c4n4ry-of-a-tenant'

const secret = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  data: encodedTexts(data),
})

const flat = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replaceAll('/', '__'), text]))

const group = 'rbac.authorization.k8s.io'
type Rule = { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] }

const writesConfigMaps: Rule = {
  apiGroups: [''],
  resources: ['configmaps'],
  verbs: ['create', 'update', 'patch', 'delete', 'list'],
}
const gets = (resource: string, ...resourceNames: string[]): Rule => ({
  apiGroups: [''],
  resources: [resource],
  verbs: ['get'],
  resourceNames,
})

/** A service account that may do this and no more. */
const account = async (name: string, rules: readonly Rule[]): Promise<string> => {
  const metadata = { name, namespace }
  const apiVersion = `${group}/v1`
  await ground.put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata })
  await ground.put({ apiVersion, kind: 'Role', metadata, rules })
  await ground.put({
    apiVersion,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: group, kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  })
  return `system:serviceaccount:${namespace}:${name}`
}

const places = placesWith({})
const source: ComponentSpec['source'] = { helm: { configMapRef: { name: 'chart' } } }
await ground.put(configMap('chart', flat(chartFiles)))

t.test('RE-32 the API server refuses a service account with a user or groups beside it', async t => {
  const rows: [what: string, spec: Partial<ComponentSpec>, ...fields: string[]][] = [
    ['groups', { serviceAccountName: 'x', impersonationGroups: ['system:masters'] }, 'spec.impersonationGroups'],
    ['a user', { serviceAccountName: 'x', impersonationUser: 'admin' }, 'spec.serviceAccountName'],
    [
      'an empty name',
      { serviceAccountName: '', impersonationUser: 'admin', impersonationGroups: ['system:masters'] },
      'spec.serviceAccountName',
      'spec.impersonationGroups',
    ],
    [
      'by a kubeconfig',
      { serviceAccountName: 'x', kubeConfig: { secretRef: { name: 'far' } }, impersonationGroups: ['a'] },
      'spec.impersonationGroups',
    ],
  ]
  for (const [what, spec, ...fields] of rows) {
    const error = await client.create(component({ name: 'refused', namespace }, spec), writer).catch(error => error)
    if (!(error instanceof ApiError)) t.fail(`${what}: taken`)
    else t.strictSame([error.code, error.causes.map(({ field }) => field)], [422, fields], what)
  }
  await ground.create('taken', { serviceAccountName: 'x', impersonationGroups: [], suspend: true })
  const change = ground.change('taken', { spec: { impersonationGroups: ['system:masters'] } })
  await rejects(t, change, { code: 422 }, 'nor can it be changed into one')
})

t.test('RE-32 the engine refuses both where the definition of the kind allows them, and writes nothing', async t => {
  const orchard = await orchards(t)
  const masters = { impersonationGroups: ['system:masters'] }
  const objects = [orchard.configMap('grown')]
  const attempt = async (name: string, spec: object, definition: ReconcileFunction = orchard.define()) => {
    await orchard.plant(name, { objects, ...spec })
    const before = orchard.requests.length
    const outcome = await orchard.settle(definition, name)
    const verbs = orchard.requests.slice(before).map(({ method }) => method)
    const { ready } = await orchard.status(name)
    const { finalizers } = (await orchard.read(name))?.metadata ?? {}
    return { outcome: outcome.outcome, ready, verbs, finalizers, made: await orchard.live(objects[0] as KubeObject) }
  }
  const refused = { outcome: 'stalled', finalizers: undefined, made: undefined } as const
  const told = (message: string) => ({ type: 'Ready', status: 'False', reason: 'Error', message })
  const byDefault = orchard.define({ options: { defaultServiceAccount: 'usual' } })
  const kubeConfig = { secretRef: { name: 'far' } }
  const rows: [string, object, ReconcileFunction | undefined, string][] = [
    [
      'named',
      { serviceAccountName: 'x', ...masters },
      undefined,
      'ServiceAccountName cannot be set together with impersonationGroups',
    ],
    [
      'abroad',
      { serviceAccountName: 'x', kubeConfig, ...masters },
      undefined,
      'ServiceAccountName cannot be set together with impersonationGroups',
    ],
    [
      'usual',
      { impersonationUser: 'admin', ...masters },
      byDefault,
      'ImpersonationUser and impersonationGroups cannot be set: this kind impersonates the service account usual, or the service account in serviceAccountName',
    ],
  ]
  for (const [name, spec, definition, message] of rows) {
    const { ready, verbs, ...came } = await attempt(name, spec, definition)
    t.strictSame(came, refused, name)
    const { lastTransitionTime: _, ...said } = ready
    t.strictSame(said, told(message), name)
    t.strictSame(
      verbs.filter(method => method !== 'GET'),
      ['PUT', 'POST'],
      `${name}: its status and an Event, nothing else`,
    )
  }
})

t.test('RE-30 an object that the named account may not read is not read for it', async t => {
  const user = await account('reader', [writesConfigMaps, gets('configmaps', 'chart', 'read')])
  await ground.put(secret('values', { 'values.yaml': `greeting: ${canary}\n` }))
  await ground.put(secret('pull', { '.dockerconfigjson': '{}' }))
  await ground.put(secret('far', { value: 'nonsense' }))
  await ground.put(configMap('hidden', flat(chartFiles)))
  const oci = { repository: 'registry.example/shop', tag: '1', secretRef: { name: 'pull' } }
  const may = (kind: string, name: string) => `${user} may not read the ${kind} ${namespace}/${name}`
  const rows: [name: string, spec: Partial<ComponentSpec>, message: string][] = [
    ['secret', { source, valuesFrom: [{ kind: 'Secret', name: 'values' }] }, may('Secret', 'values')],
    ['optional', { source, valuesFrom: [{ kind: 'Secret', name: 'values', optional: true }] }, may('Secret', 'values')],
    ['nowhere', { source, valuesFrom: [{ kind: 'Secret', name: 'none', optional: true }] }, may('Secret', 'none')],
    ['config-map', { source, valuesFrom: [{ kind: 'ConfigMap', name: 'hidden' }] }, may('ConfigMap', 'hidden')],
    ['pull', { source: { helm: { oci } } }, may('Secret', 'pull')],
    ['pull-files', { source: { kustomize: { oci } } }, may('Secret', 'pull')],
    ['far', { source, kubeConfig: { secretRef: { name: 'far' } } }, may('Secret', 'far')],
    ['charted', { source: { helm: { configMapRef: { name: 'hidden' } } } }, may('ConfigMap', 'hidden')],
    ['kustomized', { source: { kustomize: { configMapRef: { name: 'hidden' } } } }, may('ConfigMap', 'hidden')],
  ]
  for (const [name, spec, message] of rows) {
    await ground.create(name, { serviceAccountName: 'reader', ...spec })
    const { state, reason, message: told } = await ground.settled(name, places)
    t.strictSame({ state, reason, told }, { state: 'Error', reason: 'Error', told: capitalised(message) }, name)
    t.notOk(await ground.live('ConfigMap', name), `${name}: nothing is made`)
  }
})

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

t.test('RE-30 with the right to read it, the account is let through, and another one is not', async t => {
  await ground.put(secret('shared', { 'values.yaml': 'greeting: hidden\n' }))
  const rules = [writesConfigMaps, gets('configmaps', 'chart', 'let'), gets('secrets', 'shared')]
  await account('trusted', rules)
  const valuesFrom: ComponentSpec['valuesFrom'] = [{ kind: 'Secret', name: 'shared' }]
  await ground.create('let', { source, valuesFrom, serviceAccountName: 'trusted' })
  matches(t, await ground.settled('let'), { state: 'Ready' })
  matches(t, await ground.live('ConfigMap', 'let'), { data: { greeting: 'hidden' } })
  await account('trusted', rules.slice(0, 2))
  await ground.change('let', { metadata: { annotations: { looked: 'again' } } })
  matches(t, await ground.settled('let'), { state: 'Error', message: /may not read the Secret/ }, 'a right taken away')
  t.ok(await ground.live('ConfigMap', 'let'), 'what is there stays')
  await ground.remove('let')
  await ground.settle('let')
  t.notOk(await ground.read('let'), 'and holds no deletion up')
})

t.test('RE-30 templates look nothing up that the account may not read', async t => {
  const user = await account('looker', [writesConfigMaps, gets('configmaps', 'lookups', 'found')])
  await ground.put(secret('looked-up', { password: canary }))
  const one = `"v1" "Secret" "${namespace}" "looked-up"`
  const many = `"v1" "Secret" "${namespace}" ""`
  const calls: [name: string, call: string][] = [
    ['one', `lookup ${one}`],
    ['one-here', `localLookup ${one}`],
    ['one-or-fail', `mustLookup ${one}`],
    ['all', `lookup ${many}`],
    ['all-listed', `lookupList "v1" "Secret" "${namespace}" ""`],
    ['all-here', `localLookupList "v1" "Secret" "${namespace}" ""`],
  ]
  for (const [name, call] of calls) {
    const template = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: found}\ndata: {found: {{ ${call} | toJson | quote }}}\n`
    await ground.put(
      configMap('lookups', flat({ 'Chart.yaml': chartFiles['Chart.yaml'] ?? '', 'templates/a.yaml': template })),
    )
    const source = { helm: { configMapRef: { name: 'lookups' } } }
    await ground.create(name, { source, serviceAccountName: 'looker' })
    const told = await ground.settled(name)
    matches(t, told, { state: 'Error', message: new RegExp(`"${user}" cannot (get|list) resource "secrets"`) }, call)
    lacks(t, JSON.stringify(told), canary)
    t.notOk(await ground.live('ConfigMap', 'found'))
  }
})

t.test('RE-30 the default account of a kind reads what its components refer to', async t => {
  const orchard = await orchards(t)
  const reference = { path: 'spec.values', kind: 'Secret', fallbackKeys: ['value'] } as const
  const seen: unknown[] = []
  const kind = orchard.define({
    options: { references: [reference], defaultServiceAccount: 'gardener' },
    hooks: {
      postRead: [
        async ({ reference, localClient }) => {
          const reads = await Promise.allSettled([
            reference('spec.values'),
            localClient.list({ apiVersion: 'v1', kind: 'Secret', namespace: orchard.namespace }),
          ])
          seen.push(...reads.map(read => (read.status === 'rejected' ? errorText(read.reason) : read.value)))
        },
      ],
    },
  })
  const values = { ...secret('values', { value: canary }), metadata: { name: 'values', namespace: orchard.namespace } }
  await orchard.client.create(values, writer)
  await orchard.plant('tree', { values: { name: 'values' } })
  await orchard.settle(kind, 'tree')
  const gardener = `system:serviceaccount:${orchard.namespace}:gardener`
  const message = `${gardener} may not read the Secret ${orchard.namespace}/values`
  matches(t, (await orchard.status('tree')).ready, { reason: 'Error', message: capitalised(message) })
  t.strictSame(seen[0], message, 'hooks read it as that account too')
  matches(t, seen[1], new RegExp(`"${gardener}" cannot list`))
})

t.test('RE-30 behind a kubeconfig too, values are read as the named account', async t => {
  const remote = await anyCluster(t, { remote: true })
  await ground.put(secret('far-values', { 'values.yaml': `greeting: ${canary}\n` }))
  await ground.put(secret('far-access', { value: remote.kubeconfig }))
  const kubeConfig = { secretRef: { name: 'far-access' } }
  const valuesFrom: ComponentSpec['valuesFrom'] = [{ kind: 'Secret', name: 'far-values' }]
  const spec = { source, kubeConfig, valuesFrom, serviceAccountName: 'abroad', namespace: remote.namespace }
  await account('abroad', [writesConfigMaps, gets('configmaps', 'chart'), gets('secrets', 'far-access')])
  await ground.create('far-away', spec)
  const told = await ground.settled('far-away', places)
  const message = `System:serviceaccount:${namespace}:abroad may not read the Secret ${namespace}/far-values`
  matches(t, told, { state: 'Error', message })
  lacks(t, JSON.stringify(await ground.read('far-away')), canary)
  t.equal((await remote.api.call('GET', `/api/v1/namespaces/${remote.namespace}/configmaps/far-away`)).status, 404)
})

t.test('names, annotations and labels of maximal size are kept as declared, and removed', async t => {
  const name = `${'n'.repeat(62)}.`.repeat(3) + 'n'.repeat(64).slice(0, 63)
  const annotations = { [`${'p'.repeat(60)}.${'q'.repeat(60)}/${'k'.repeat(63)}`]: 'x'.repeat(250_000) }
  const labels = { [`${'p'.repeat(60)}/${'k'.repeat(63)}`]: 'v'.repeat(63) }
  const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations, labels }, data: { a: '1' } }
  await ground.create(name, { source: { manifests: [made] } })
  matches(t, await ground.settled(name), { state: 'Ready' })
  matches(t, await ground.live('ConfigMap', name), { metadata: { labels } })
  await ground.remove(name)
  await ground.settle(name)
  t.notOk(await ground.read(name))
  t.notOk(await ground.live('ConfigMap', name))
})
