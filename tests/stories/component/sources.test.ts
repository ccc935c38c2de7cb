// Components of the ready-made kind on a cluster: what the API server refuses of them, where their dependents come from, and
// what becomes of them when a source is away.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { ComponentSpec } from '../../../shared/api/component.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { componentGround, placesWith } from '../../harness/component/component-ground.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { anyRegistry } from '../../harness/registries/real-registry.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { chartArtifact, filesArtifact, packed } from '../../make/artifact.ts'
import { chartFiles, component, configMap } from '../../make/component/component.ts'

const ground = await componentGround(t)
const { namespace, client } = ground

/** Delays are spread a little. */
/** Ten, and the part that is added for each component. */
const aboutTenSeconds = (seconds: unknown) => Number(seconds) >= 10.1 && Number(seconds) <= 10.5

const manifests = [configMap('refused')]

t.test('CO-90 CO-108 a spec that cannot be meant is refused, with the path', async t => {
  const oci = { repository: 'registry.example.com/charts/shop', tag: '1.2.3' }
  const digest = `sha256:${'0'.repeat(64)}`
  const rows: [what: string, spec: unknown, path: string][] = [
    ['no source', {}, 'spec.source'],
    ['none of the sources', { source: {} }, 'spec.source'],
    ['two sources', { source: { manifests, helm: { directory: 'a' } } }, 'spec.source'],
    ['no place of a chart', { source: { helm: {} } }, 'spec.source.helm'],
    ['two places of a chart', { source: { helm: { oci, directory: 'a' } } }, 'spec.source.helm'],
    ['a path alone', { source: { kustomize: { path: 'a' } } }, 'spec.source.kustomize'],
    ['neither tag nor digest', { source: { helm: { oci: { repository: oci.repository } } } }, 'spec.source.helm.oci'],
    ['tag and digest', { source: { helm: { oci: { ...oci, digest } } } }, 'spec.source.helm.oci'],
    [
      'half a digest',
      { source: { helm: { oci: { repository: oci.repository, digest: 'sha256:12' } } } },
      'spec.source.helm.oci.digest',
    ],
    ['no repository', { source: { helm: { oci: { ...oci, repository: 'shop' } } } }, 'spec.source.helm.oci.repository'],
    [
      'another protocol',
      { source: { helm: { oci: { ...oci, repository: 'http://a.example/b' } } } },
      'spec.source.helm.oci.repository',
    ],
    ['a directory above', { source: { helm: { directory: '../a' } } }, 'spec.source.helm.directory'],
    ['a directory above, later', { source: { helm: { directory: 'a/../../b' } } }, 'spec.source.helm.directory'],
    ['an absolute directory', { source: { helm: { directory: '/etc' } } }, 'spec.source.helm.directory'],
    ['a path above', { source: { kustomize: { oci, path: '..' } } }, 'spec.source.kustomize.path'],
    ['no manifests', { source: { manifests: [] } }, 'spec.source.manifests'],
    [
      'a manifest without name',
      { source: { manifests: [{ ...manifests[0], metadata: {} }] } },
      'spec.source.manifests[0].metadata.name',
    ],
    [
      'too many manifests',
      { source: { manifests: Array.from({ length: 501 }, () => manifests[0]) } },
      'spec.source.manifests',
    ],
    [
      'too many references',
      { source: { helm: { oci } }, valuesFrom: Array.from({ length: 101 }, () => ({ kind: 'Secret', name: 'a' })) },
      'spec.valuesFrom',
    ],
    [
      'too many types',
      {
        source: { manifests },
        additionalManagedTypes: Array.from({ length: 101 }, () => ({ group: '*', kind: 'Pod' })),
      },
      'spec.additionalManagedTypes',
    ],
    ['values with manifests', { source: { manifests }, values: { a: 1 } }, 'spec.values'],
    [
      'a reference to a Pod',
      { source: { helm: { oci } }, valuesFrom: [{ kind: 'Pod', name: 'a' }] },
      'spec.valuesFrom[0].kind',
    ],
    [
      'two identities',
      { source: { manifests }, impersonationUser: 'a', serviceAccountName: 'b' },
      'spec.serviceAccountName',
    ],
    ...['timeout', 'requeueInterval', 'retryInterval', 'reapplyInterval'].map((field): [string, unknown, string] => [
      field,
      { source: { manifests }, [field]: 'soon' },
      `spec.${field}`,
    ]),
    ...['adoptionPolicy', 'updatePolicy', 'deletePolicy'].map((field): [string, unknown, string] => [
      field,
      { source: { manifests }, [field]: 'Patch' },
      `spec.${field}`,
    ]),
  ]
  for (const [what, spec, path] of rows) {
    const object = { ...component({ name: 'refused', namespace }), spec }
    const error = await client.create(object, { fieldManager: 'person' }).catch(error => error)
    if (!(error instanceof ApiError)) t.fail(`${what}: taken`)
    else t.ok(error.code === 422 && error.causes.some(({ field }) => field === path), `${what}: ${error.message}`)
  }
})

t.test('CO-90 a spec that can be meant is accepted, and stored as it was written', async t => {
  const full: ComponentSpec = {
    source: {
      kustomize: {
        oci: { repository: 'oci://[::1]:5000/a_b/c-d', tag: 'v1', secretRef: { name: 'pull' } },
        path: './overlays/.x',
      },
    },
    values: { a: { b: [1, { c: null }] } },
    valuesFrom: [{ kind: 'Secret', name: 'values', optional: true }],
    deploymentNamespace: 'elsewhere',
    deploymentName: 'shop',
    kubeConfig: { secretRef: { name: 'far' } },
    impersonationUser: 'system:serviceaccount::deployer',
    impersonationGroups: ['deployers'],
    requeueInterval: '1h30m',
    retryInterval: '1.5m',
    timeout: '90s',
    adoptionPolicy: 'if-unowned',
    updatePolicy: 'SsaMerge',
    deletePolicy: 'orphan',
    createMissingNamespaces: false,
    additionalManagedTypes: [{ group: '*.example.com', kind: '*' }],
    suspend: true,
    reapplyInterval: '10m',
  }
  const created = await ground.create('full', full)
  t.strictSame(created.spec, { ...full, valuesFrom: [{ ...full.valuesFrom?.[0], key: 'values.yaml' }] })
  t.strictSame((await ground.read('full'))?.status, { observedGeneration: -1 }, 'nobody has looked at it yet')
  await ground.remove('full')
})

const ready = { state: 'Ready', reason: 'Ready', revision: 1 } as const

const kustomizeFiles = {
  'base/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: pre-\n',
  'base/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kustomized}\ndata: {a: b}\n',
  'overlays/x/.component-config.yaml': 'includedKustomizations: [../../base]\n',
  'overlays/x/kustomization.yaml': 'resources: [../../base]\nnameSuffix: -post\n',
  'overlays/y/.component-config.yaml': 'includedKustomizations: [../../base]\n',
  'overlays/y/kustomization.yaml': 'resources: [../../base]\nnameSuffix: -far\n',
}

t.test('CO-89 objects listed as manifests are applied, and no source is told', async t => {
  await ground.create('listed', { source: { manifests: [configMap('listed-a'), configMap('listed-b', { k: 'v' })] } })
  matches(t, await ground.settled('listed'), ready)
  matches(t, await ground.live('ConfigMap', 'listed-b'), { data: { k: 'v' } })
  t.equal((await ground.settled('listed')).source, undefined)
})

t.test('CO-89 a chart in a ConfigMap, packed and flat', async t => {
  const artifact = (await packed(chartFiles, 'shop/')).toString('base64')
  await ground.put({ ...configMap('packed-chart', {}), binaryData: { 'artifact.tgz': artifact } })
  const flat = Object.entries(chartFiles).map(([path, text]) => [path.replaceAll('/', '__'), text])
  await ground.put(configMap('flat-chart', Object.fromEntries(flat)))
  for (const form of ['packed', 'flat']) {
    await ground.create(`${form}-release`, { source: { helm: { configMapRef: { name: `${form}-chart` } } } })
    matches(t, await ground.settled(`${form}-release`), ready, form)
    matches(t, await ground.live('ConfigMap', `${form}-release`), { data: { greeting: 'hello' } })
  }
})

t.test('CO-89 a kustomization in a ConfigMap, at a path', async t => {
  const artifact = (await packed(kustomizeFiles)).toString('base64')
  await ground.put({ ...configMap('kustomization', {}), binaryData: { 'artifact.tgz': artifact } })
  const configMapRef = { name: 'kustomization' }
  await ground.create('kustomized', { source: { kustomize: { configMapRef, path: 'base' } } })
  matches(t, await ground.settled('kustomized'), ready)
  matches(t, await ground.live('ConfigMap', 'pre-kustomized'), { data: { a: 'b' } })
  await ground.change('kustomized', { spec: { source: { kustomize: { path: 'overlays/x' } } } })
  matches(t, await ground.settled('kustomized'), { ...ready, revision: 2 })
  t.ok(await ground.live('ConfigMap', 'pre-kustomized-post'))
  t.notOk(await ground.live('ConfigMap', 'pre-kustomized'), 'what is no longer rendered goes')
})

t.test('CO-89 a chart in a folder of the host', async t => {
  const root = testFolder(t)
  for (const [path, text] of Object.entries(chartFiles)) {
    mkdirSync(join(root, 'shop', path, '..'), { recursive: true })
    writeFileSync(join(root, 'shop', path), text)
  }
  const places = placesWith({ ESPALIER_CHART_ROOT: root })
  await ground.create('from-folder', { source: { helm: { directory: 'shop' } } })
  matches(t, await ground.settled('from-folder', places), { ...ready, source: { digest: /^sha256:/ } })
  writeFileSync(join(root, 'shop', 'values.yaml'), 'greeting: changed\n')
  matches(t, await ground.settled('from-folder', places), { ...ready, revision: 2 })
  matches(t, await ground.live('ConfigMap', 'from-folder'), { data: { greeting: 'changed' } })
  await ground.change('from-folder', { spec: { source: { helm: { directory: 'none' } } } })
  const message = 'The folder none is not below the chart root'
  matches(t, await ground.settled('from-folder', places), { state: 'Pending', reason: 'Retrying', message })
})

t.test('CO-133 a chart in a folder, on a host that has none', async t => {
  await ground.create('rootless', { source: { helm: { directory: 'shop' } } })
  const message =
    'Shop: this host has no chart root (ESPALIER_CHART_ROOT): set it, or use a chart from oci or a configMapRef'
  matches(t, await ground.settled('rootless', placesWith({})), { state: 'Pending', reason: 'Retrying', message })
})

t.test('CO-89 charts and kustomizations in a registry: by tag, by digest, with credentials', async t => {
  const alice = { username: 'alice', password: 'canary-of-alice' }
  const [open, closed] = await Promise.all([anyRegistry(t), anyRegistry(t, alice)])
  const places = placesWith({ ESPALIER_PLAIN_REGISTRIES: `${open.host},${closed.host}` })
  const digest = await open.push('charts/shop', '1.2.3', await chartArtifact(chartFiles))
  const repository = `${open.host}/charts/shop`
  await ground.create('by-tag', { source: { helm: { oci: { repository, tag: '1.2.3' } } } })
  matches(t, await ground.settled('by-tag', places), { ...ready, source: { digest, version: '1.2.3' } })
  await ground.create('by-digest', { source: { helm: { oci: { repository: `oci://${repository}`, digest } } } })
  matches(t, await ground.settled('by-digest', places), { ...ready, source: { digest, version: '1.2.3' } })
  matches(t, await ground.live('ConfigMap', 'by-digest'), { data: { greeting: 'hello' } })

  const folder = await closed.push('apps/shop', 'v1', await filesArtifact(kustomizeFiles))
  const oci = { repository: `${closed.host}/apps/shop`, tag: 'v1', secretRef: { name: 'pull' } }
  await ground.create('closed', { source: { kustomize: { oci, path: './overlays/y' } } })
  const missing = {
    state: 'Pending',
    reason: 'Retrying',
    outcome: { outcome: 'waiting', requeueAfterSeconds: aboutTenSeconds },
  }
  matches(t, await ground.settled('closed', places), { ...missing, message: /Secret .*\/pull .* does not exist/ })
  const auths = { auths: { [closed.host]: alice } }
  await ground.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'pull' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from(JSON.stringify(auths)).toString('base64') },
  })
  matches(t, await ground.settled('closed', places), { state: 'Ready', source: { digest: folder, version: 'v1' } })
  t.ok(await ground.live('ConfigMap', 'pre-kustomized-far'))
  lacks(t, JSON.stringify(await ground.read('closed')), /canary/)
})

t.test('CO-91 valuesFrom in order, values last; a null takes a default away', async t => {
  const values = (name: string, text: string, key = 'values.yaml') => ground.put(configMap(name, { [key]: text }))
  await values('first', 'greeting: first\nonly: {a: 1, b: 1}\nlist: [1, 2]\n')
  await values('second', 'only: {b: 2}\nlist: [3]\n', 'other')
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'third' } }
  await ground.put({ ...secret, data: { 'values.yaml': Buffer.from('only: {c: 3}\n').toString('base64') } })
  await ground.put(
    configMap(
      'chart',
      Object.fromEntries(Object.entries(chartFiles).map(([path, text]) => [path.replaceAll('/', '__'), text])),
    ),
  )
  const spec: Partial<ComponentSpec> = {
    source: { helm: { configMapRef: { name: 'chart' } } },
    valuesFrom: [
      { kind: 'ConfigMap', name: 'first' },
      { kind: 'ConfigMap', name: 'second', key: 'other' },
      { kind: 'ConfigMap', name: 'absent', optional: true },
      { kind: 'ConfigMap', name: 'first', key: 'absent', optional: true },
      { kind: 'Secret', name: 'third' },
    ],
    values: { only: { d: 4 }, greeting: 'last' },
  }
  await ground.create('valued', spec)
  const rendered = async () => {
    matches(t, await ground.settled('valued'), { state: 'Ready' })
    return JSON.parse(String(dataOf(await ground.live('ConfigMap', 'valued')).values))
  }
  t.strictSame(await rendered(), { greeting: 'last', list: [3], only: { a: 1, b: 2, c: 3, d: 4 } })
  await ground.change('valued', { spec: { values: { only: { d: 5 } } } })
  await values('first', 'only: {a: 7}\n')
  t.strictSame((await rendered()).only, { a: 7, b: 2, c: 3, d: 5 }, 'a changed reference counts')
})

const dataOf = (object: KubeObject | undefined): JsonMap => (object?.data ?? {}) as JsonMap

t.test('CO-82 an object is looked up without the namespace that it has: nothing is found', async t => {
  const lookups = {
    nameless: 'lookup "v1" "ConfigMap" "" "valued"',
    cluster: `lookup "v1" "Namespace" "" "${namespace}"`,
  }
  const found = Object.entries(lookups).map(([what, lookup]) => `  ${what}: {{ ${lookup} | empty | quote }}`)
  const template = ['apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: looked-up}', 'data:', ...found].join('\n')
  await ground.put(
    configMap('looking', { 'Chart.yaml': chartFiles['Chart.yaml'] ?? '', 'templates__a.yaml': template }),
  )
  await ground.create('looking', { source: { helm: { configMapRef: { name: 'looking' } } } })
  matches(t, await ground.settled('looking'), { state: 'Ready' })
  t.strictSame(dataOf(await ground.live('ConfigMap', 'looked-up')), { nameless: 'true', cluster: 'false' })
})

t.test('CO-91 a reference that is missing or no map of values', async t => {
  const valuesFrom: ComponentSpec['valuesFrom'] = [{ kind: 'Secret', name: 'later' }]
  const source = { helm: { configMapRef: { name: 'flat-chart' } } }
  await ground.create('waiting', { source, valuesFrom })
  const waiting = { state: 'Pending', reason: 'Retrying', outcome: { requeueAfterSeconds: aboutTenSeconds } }
  matches(t, await ground.settled('waiting'), { ...waiting, message: /Secret .*\/later/ })
  const later = (text: string) =>
    ground.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'later' },
      data: { 'values.yaml': Buffer.from(text).toString('base64') },
    })
  await later('greeting: [canary\n')
  matches(t, await ground.settled('waiting'), {
    state: 'Error',
    reason: 'Error',
    message: /Spec\.valuesFrom\[0\] \(Secret later, key values\.yaml\) is not valid YAML: line \d$/,
  })
  await later('- canary\n')
  matches(t, await ground.settled('waiting'), { state: 'Error', message: /does not contain a map$/ })
  lacks(t, JSON.stringify(await ground.read('waiting')), /canary/, 'no secret is told')
  await later('greeting: told\n')
  matches(t, await ground.settled('waiting'), { state: 'Ready' })
})

t.test('CO-92 a moved tag; a registry that is down; no such tag', async t => {
  const registry = await anyRegistry(t)
  const places = placesWith({ ESPALIER_PLAIN_REGISTRIES: registry.host })
  const first = await registry.push('charts/moving', 'stable', await chartArtifact(chartFiles))
  const repository = `${registry.host}/charts/moving`
  await ground.create('moving', { source: { helm: { oci: { repository, tag: 'stable' } } }, retryInterval: '3m' })
  matches(t, await ground.settled('moving', places), { ...ready, source: { digest: first } })
  const changed = { ...chartFiles, 'values.yaml': 'greeting: moved\n' }
  const second = await registry.push('charts/moving', 'stable', await chartArtifact(changed))
  matches(t, await ground.settled('moving', places), { ...ready, revision: 2, source: { digest: second } })
  matches(t, await ground.live('ConfigMap', 'moving'), { data: { greeting: 'moved' } })

  const retrying = { state: 'Pending', reason: 'Retrying', outcome: { outcome: 'waiting' } }
  const down = placesWith({ ESPALIER_PLAIN_REGISTRIES: registry.host, ESPALIER_REGISTRIES: 'none' })
  t.ok(down)
  await ground.change('moving', { spec: { source: { helm: { oci: { tag: 'none' } } } } })
  const noTag = await ground.settled('moving', places)
  matches(t, noTag, {
    ...retrying,
    message: new RegExp(`${repository}:none cannot be pulled: the registry has no such`),
  })
  const { requeueAfterSeconds = 0 } = noTag.outcome
  t.ok(requeueAfterSeconds >= 180 && requeueAfterSeconds <= 190, 'again after the retry interval')
  await ground.change('moving', { spec: { source: { helm: { oci: { repository: '127.0.0.1:9/a/b' } } } } })
  const away = await ground.settled('moving', placesWith({ ESPALIER_PLAIN_REGISTRIES: '127.0.0.1:9' }))
  matches(t, away, { ...retrying, message: /127\.0\.0\.1:9\/a\/b:none cannot be pulled: .*ECONNREFUSED/ })
  matches(t, await ground.live('ConfigMap', 'moving'), { data: { greeting: 'moved' } }, 'dependents remain')

  await ground.remove('moving')
  await ground.settle('moving', placesWith({ ESPALIER_PLAIN_REGISTRIES: '127.0.0.1:9' }))
  t.equal(await ground.read('moving'), undefined, 'a registry that is away holds no deletion')
  t.equal(await ground.live('ConfigMap', 'moving'), undefined)
})

t.test('CO-72 CO-92 a registry that is away holds a deletion with hooks until they are given up', async t => {
  const registry = await anyRegistry(t)
  const hook = `apiVersion: v1
kind: ConfigMap
metadata:
  name: farewell
  annotations: { component.core.espalier.dev/delete-hook: pre-delete }
`
  await registry.push(
    'charts/hooked',
    'stable',
    await chartArtifact({ ...chartFiles, 'templates/farewell.yaml': hook }),
  )
  const oci = { repository: `${registry.host}/charts/hooked`, tag: 'stable' }
  await ground.create('hooked', { source: { helm: { oci } } })
  const told = await ground.settled('hooked', placesWith({ ESPALIER_PLAIN_REGISTRIES: registry.host }))
  matches(t, told, { ...ready, deleteHooks: 1 })
  await ground.change('hooked', { spec: { source: { helm: { oci: { repository: '127.0.0.1:9/a/b' } } } } })
  await ground.remove('hooked')
  const away = placesWith({ ESPALIER_PLAIN_REGISTRIES: '127.0.0.1:9' })
  matches(t, await ground.settled('hooked', away), { state: 'DeletionPending', reason: 'DeletionRetrying' })
  await ground.change('hooked', {
    metadata: { annotations: { 'component.core.espalier.dev/skip-delete-hooks': 'true' } },
  })
  await ground.settle('hooked', away)
  t.equal(await ground.read('hooked'), undefined)
})

t.test('RE-60 a Component among whose manifests is itself is told so, and can go', async t => {
  const itself = { ...component({ name: 'mirror', namespace }), spec: { source: { manifests } } }
  await ground.create('mirror', { source: { manifests: [itself] } })
  const { reason, message } = await ground.settled('mirror')
  matches(t, { reason, message }, { reason: 'Error', message: `Component ${namespace}/mirror is the component itself` })
  await ground.remove('mirror')
  await ground.settle('mirror')
  t.equal(await ground.read('mirror'), undefined)
})
