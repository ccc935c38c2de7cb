// `espalier events`, `support-bundle`, `uninstall`, `render`, and folders for `plan`, as people give them.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { ourKinds } from '../../../shared/api/our-kinds.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { encodedText, encodedTexts } from '../../../shared/core/objects/secret-text.ts'
import { espalierAnnotations } from '../../../shared/core/objects/steering.ts'
import { yamlOf } from '../../../shared/core/yaml/write.ts'
import { runCommand } from '../../../shared/main/cli/command.ts'
import { commands } from '../../../shared/main/cli/commands.ts'
import { redaction } from '../../../shared/main/cli/redaction.ts'
import { kubeconfig as kubeconfigText } from '../../harness/clients/kubeconfig.ts'
import { commandLine } from '../../harness/clusters/command-line.ts'
import { contains, matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'

const { cluster, client, namespace, folder, kubeconfig, espalier } = await commandLine(t)
const person = { fieldManager: 'person' }
const kind = { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' }

const component = (name: string, metadata: object = {}): KubeObject => ({
  ...kind,
  metadata: { name, namespace, ...metadata },
  spec: { source: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-a` } }] } },
})

const event = (name: string, about: KubeObject, more: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace },
  involvedObject: { kind: about.kind, namespace, name: about.metadata.name },
  ...more,
})

t.test(
  'SEE-48 events of an object and of its parts, the newest last; --warnings; those of others are left out',
  async t => {
    const [fig, map] = [
      component('fig'),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fig-a', namespace } },
    ]
    await client.create(fig, person)
    await client.create(map, person)
    const inventory = [
      { group: '', version: 'v1', kind: 'ConfigMap', namespace, name: 'fig-a', phase: 'Ready', status: 'Current' },
    ]
    const status = { state: 'Ready', inventory }
    await client.patch(
      { ...kind, namespace, name: 'fig' },
      { type: 'merge', body: { status } },
      { ...person, subresource: 'status' },
    )
    const told: [KubeObject, object][] = [
      [
        map,
        {
          type: 'Normal',
          reason: 'DriftCorrected',
          message: 'Corrected data.a',
          count: 3,
          lastTimestamp: '2026-03-01T09:00:00Z',
        },
      ],
      [fig, { type: 'Warning', reason: 'Failed', message: 'no chart', lastTimestamp: '2026-03-01T08:00:00Z' }],
      [
        component('other'),
        { type: 'Warning', reason: 'Failed', message: 'of another', lastTimestamp: '2026-03-01T08:00:00Z' },
      ],
    ]
    for (const [at, [about, more]] of told.entries()) await client.create(event(`e${at}`, about, more), person)
    const { code, out } = await espalier('events', 'component', 'fig')
    t.equal(code, 0)
    const lines = out
      .replaceAll(/\n {8}/g, ' ')
      .trim()
      .split('\n')
    matches(t, lines, [
      new RegExp(`^\\S+ +warning Failed Component ${namespace}/fig: no chart$`),
      new RegExp(`^\\S+ +DriftCorrected ConfigMap ${namespace}/fig-a: Corrected data.a \\(3 times\\)$`),
    ])
    const warnings = await espalier('events', 'component', 'fig', '--warnings', '-o', 'json')
    matches(t, JSON.parse(warnings.out), [{ reason: 'Failed', object: `Component ${namespace}/fig`, count: 1 }])
  },
)

t.test(
  'SEE-53 no value of a Secret is in a support bundle, wherever it stands; a folder is not overwritten',
  async t => {
    const canary = 'canary-7f3a9c'
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'canary', namespace },
      data: { text: encodedText(`a\n${canary}\nb`) },
    }
    await client.create(secret, person)
    const pear = component('pear', { annotations: { note: `it is ${canary}`, other: encodedText(`a\n${canary}\nb`) } })
    const [map] = (pear.spec as { source: { manifests: [object] } }).source.manifests
    const manifests = [{ ...map, data: { dbPassword: 'hunter2', host: 'db' } }]
    await client.create({ ...pear, spec: { source: { manifests } } }, person)
    await client.create(event('leak', pear, { type: 'Normal', reason: 'R', message: `found ${canary}` }), person)
    const into = join(folder, 'bundle')
    const { code, fault } = await espalier('support-bundle', '--into', into)
    t.strictSame([code, fault], [0, ''])
    const files = readdirSync(into)
    t.strictSame(files.sort(), [
      'check.yaml',
      'events.yaml',
      'leases.yaml',
      'objects.yaml',
      'secrets.yaml',
      'workloads.yaml',
    ])
    const text = files.map(file => readFileSync(join(into, file), 'utf8')).join('')
    for (const value of [canary, encodedText(`a\n${canary}\nb`), 'hunter2']) t.notOk(text.includes(value), value)
    for (const shown of ['it is (redacted)', 'found (redacted)', 'host: db', 'name: canary']) contains(t, text, shown)
    const again = await espalier('support-bundle', '--into', into)
    t.equal(again.code, 2)
    contains(t, again.fault, 'the folder exists')
  },
)

t.test(
  'SEE-53 variables and fields that are called so are redacted; what kubectl applied last is left out',
  async t => {
    const { redactedObject } = redaction([])
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } },
      spec: {
        env: [
          { name: 'DB_PASSWORD', value: 'x' },
          { name: 'HOST', value: 'y' },
        ],
        secretName: 's',
        token: 't',
      },
    }
    t.strictSame(redactedObject(pod), {
      ...pod,
      metadata: { name: 'a', annotations: {} },
      spec: {
        env: [
          { name: 'DB_PASSWORD', value: '(redacted)' },
          { name: 'HOST', value: 'y' },
        ],
        secretName: 's',
        token: '(redacted)',
      },
    })
  },
)

t.test(
  'SEE-53 under a telling name all is redacted, but what says where a secret is; so are nested Secrets',
  async t => {
    const { redactedObject } = redaction([])
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }
    const object = (redacted?: string) => ({
      ...kind,
      metadata: { name: 'a' },
      spec: {
        password: redacted ?? 12345678,
        credentials: [redacted ?? 'one', { name: 'db', value: redacted ?? 'two' }],
        token: { value: redacted ?? 'three', enabled: true, phase: 'Prepared' },
        secret: { secretName: 'mounted', defaultMode: 420 },
        env: [{ name: 'API_KEY', value: redacted ?? 4 }],
        manifests: [{ ...secret, data: { a: redacted ?? 'eA==' }, stringData: { b: redacted ?? 'y' } }, secret],
      },
    })
    t.strictSame(redactedObject(object()), object('(redacted)'))
  },
)

t.test(
  'SEE-53 web tokens, users of addresses and telling arguments are redacted although no Secret has them',
  async t => {
    const { redactedText } = redaction([])
    const token = `eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(20)}.${'b'.repeat(20)}`
    for (const [given, shown] of [
      [`authorization: Bearer ${token}`, 'authorization: Bearer (redacted)'],
      ['- postgres://shop:hunter2@db:5432/x', '- postgres://(redacted)@db:5432/x'],
      ['- --db-password=hunter2', '- --db-password=(redacted)'],
      [`--db-password="hunter 2" --token='a b' --port=1`, '--db-password=(redacted) --token=(redacted) --port=1'],
      ['- --token-audience=espalier --port=1', '- --token-audience=espalier --port=1'],
      ['image: r.example/a@sha256:00', 'image: r.example/a@sha256:00'],
    ] as const)
      t.equal(redactedText(given), shown)
  },
)

const secretOf = (texts: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'kcp-system' },
  data: encodedTexts(texts),
})

t.test('SEE-53 a value is found as JSON and YAML write it', async t => {
  const value = `it's "so"\\ secret`
  const { redactedObject, redactedText } = redaction([secretOf({ value, lines: 'one\ntwo words\n' })])
  t.equal(redactedText(JSON.stringify({ value })), '{"value":"(redacted)"}')
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }
  const shown = redactedObject({ ...map, data: { a: `x ${value} y`, b: 'x\none\ntwo words\n' } })
  t.strictSame(shown.data, { a: 'x (redacted) y', b: 'x\n(redacted)' })
})

t.test('SEE-53 of a stored file only secret parts are redacted, and no name of a namespace', async t => {
  const key = encodedText('-----BEGIN PRIVATE KEY-----\n0123456789')
  const auth = encodedText('admin:0123456789')
  const webToken = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlIn0.c2lnbmF0dXJlLW9m'
  const config = `apiVersion: v1
kind: Config
clusters:
- name: garden
  cluster: {server: "https://api.example.org:6443"}
users:
- user:
    client-key-data: ${key}
    password: correct horse
    token: letters
- user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1}}
`
  const json = JSON.stringify({ auths: { 'r.example': { auth, password: 'open "se"same' } } })
  const pem = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v\n-----END PRIVATE KEY-----\n'
  const log = `sent Bearer ${webToken} first\nnot before`
  const { redactedText } = redaction([
    secretOf({
      config,
      json,
      pem,
      manifest: 'apiVersion: v1\nkind: ConfigMap\ndata: {}\n',
      namespace: 'kcp-system',
      log,
    }),
  ])
  const secrets = [key, 'correct horse', 'letters', auth, 'MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v', webToken]
  for (const text of [...secrets, 'open \\"se\\"same']) t.equal(redactedText(`<${text}>`), '<(redacted)>', text)
  for (const text of [
    'apiVersion: v1\nkind: ConfigMap',
    'apiVersion: client.authentication.k8s.io/v1beta1',
    'namespace: kcp-system',
    'server: "https://api.example.org:6443"',
    'clusters:\n- name: garden',
  ])
    t.equal(redactedText(`x\n${text}\ny`), `x\n${text}\ny`, text)
})

t.test('SEE-53 no bundle is written if Secrets cannot be listed', async t => {
  const name = `${namespace}-reader`
  const rbac = 'rbac.authorization.k8s.io'
  const apiGroups = [...new Set(ourKinds.map(({ apiVersion }) => apiVersion.split('/')[0] ?? ''))]
  const role = { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name } }
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }, person)
  await client.create({ ...role, rules: [{ apiGroups, resources: ['*'], verbs: ['list'] }] }, person)
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name }
  const subjects = [{ kind: 'ServiceAccount', name, namespace }]
  await client.create({ ...role, kind: 'ClusterRoleBinding', roleRef, subjects }, person)
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const { status } = (await client.raw({ method: 'POST', path, body: request })) as { status: { token: string } }
  const file = join(folder, 'reader')
  writeFileSync(file, kubeconfigText(cluster, status))
  const into = join(folder, 'unread')
  const { code, fault } = await runCommand(commands, ['support-bundle', '--into', into, '--kubeconfig', file])
  t.equal(code, 2)
  matches(t, fault, /Secrets of namespace \S+ cannot be read, so their values cannot be redacted: .*forbidden/)
  t.notOk(existsSync(into))
})

t.test(
  'SEE-52 uninstall lists its steps, and with --yes takes webhooks, programs and finalizers away; objects stay',
  async t => {
    const finalizers = ['component.core.espalier.dev', 'example.org/theirs']
    await client.create(component('plum', { finalizers }), person)
    const labels = { 'app.kubernetes.io/part-of': 'espalier' }
    const webhooks = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' }
    await client.create({ ...webhooks, metadata: { name: 'uninstalled', labels }, webhooks: [] }, person)
    const plum = async () => (await client.get({ ...kind, namespace, name: 'plum' }))?.metadata.finalizers
    const listed = await espalier('uninstall', '--keep-workloads')
    t.equal(listed.code, 1)
    for (const text of [
      'delete ValidatingWebhookConfiguration uninstalled',
      `remove finalizers of Component ${namespace}/plum: component.core.espalier.dev`,
    ])
      contains(t, listed.out, text)
    t.strictSame(await plum(), finalizers)
    const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'espalier-system' } }
    await client.create(system, person).catch(() => undefined)
    const host = { name: 'host-a', namespace: 'espalier-system', labels: { 'app.kubernetes.io/name': 'espalier' } }
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: host, spec: { containers: [{ name: 'a', image: 'a' }] } }
    await client.create(pod, person)
    const done = espalier('uninstall', '--keep-workloads', '--yes')
    const webhook = () => client.get({ ...webhooks, namespace: '', name: 'uninstalled' })
    await eventually('webhooks are gone', async () => (await webhook()) === undefined)
    await wait(1_500)
    t.strictSame(await plum(), finalizers, 'finalizers stay while a host runs')
    await client.delete(refOf(pod), {})
    t.equal((await done).code, 0)
    t.strictSame(await plum(), ['example.org/theirs'])
    t.equal(await client.get({ ...webhooks, namespace: '', name: 'uninstalled' }), undefined)
    t.equal((await espalier('uninstall', '--keep-workloads')).out, 'nothing to do\n')
    const { code, fault } = await espalier('uninstall')
    t.equal(code, 2)
    contains(t, fault, 'expected --keep-workloads')
  },
)

const put = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}

t.test('SEE-54 render: a chart with values, a kustomization below a folder; a lookup finds nothing', async t => {
  put('chart/Chart.yaml', 'apiVersion: v2\nname: shop\nversion: 1.0.0\n')
  put(
    'chart/templates/map.yaml',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}\ndata: {a: {{ .Values.a | quote }}, found: "{{ len (lookup "v1" "Secret" "x" "y") }}"}\n',
  )
  put('values.yaml', 'a: from a file\n')
  const chart = await espalier(
    'render',
    join(folder, 'chart'),
    '--name',
    'shop',
    '--values',
    join(folder, 'values.yaml'),
    '-o',
    'json',
  )
  t.equal(chart.fault, '')
  matches(t, JSON.parse(chart.out), [
    { kind: 'ConfigMap', metadata: { name: 'shop', namespace }, data: { a: 'from a file', found: '0' } },
  ])
  put('deploy/over/base/kustomization.yaml', 'resources: [map.yaml]\n')
  put('deploy/over/base/map.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n')
  put('deploy/over/kustomization.yaml', 'resources: [base]\nnamePrefix: x-\n')
  const built = await espalier('render', join(folder, 'deploy'), '--path', 'over')
  contains(t, built.out, '---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x-a')
  t.equal(built.isData, true, 'SEE-58 kubectl reads it')
  const neither = await espalier('render', join(folder, 'deploy'))
  t.equal(neither.code, 2)
  contains(t, neither.fault, 'has neither a Chart.yaml nor a kustomization.yaml')
})

t.test('SEE-46 plan takes all YAML and JSON files of a folder, and says when there is none', async t => {
  put('objects/a.yaml', yamlOf(component('kiwi')))
  put('objects/b.json', JSON.stringify(component('lime')))
  put('objects/c.txt', 'no object')
  const { code, out, fault } = await espalier('plan', '-f', join(folder, 'objects'))
  t.strictSame([code, fault], [1, ''])
  for (const name of ['kiwi', 'lime']) contains(t, out, `create ConfigMap ${namespace}/${name}-a`)
  put('none/c.txt', '')
  const none = await espalier('plan', '-f', join(folder, 'none'))
  t.equal(none.code, 2)
  contains(t, none.fault, 'contains no .yaml, .yml or .json file')
})

t.test('SEE-47 plan --watch prints each new plan, and ends when nothing is left to do', async t => {
  await client.create(component('date'), person)
  const printed: string[] = []
  const suspending = (text: string): void => {
    printed.push(text)
    const metadata = { annotations: { [espalierAnnotations.suspended]: 'a test' } }
    const suspend = () =>
      client.patch({ ...kind, namespace, name: 'date' }, { type: 'merge', body: { metadata } }, person)
    // After the next plan, which is the same.
    void wait(7_500).then(suspend)
  }
  const args = ['plan', 'component', 'date', '--watch', '-n', namespace, '--kubeconfig', kubeconfig]
  const { code, out } = await runCommand(commands, args, suspending)
  t.equal(code, 0)
  t.equal(printed.length, 1)
  contains(t, printed[0] ?? '', `create ConfigMap ${namespace}/date-a`)
  contains(t, out, 'is suspended, so nothing is done until espalier resume')
})
