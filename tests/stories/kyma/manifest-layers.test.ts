// Where the objects of a Manifest come from: layers of both types, registries that ask for credentials or are in trouble, and what is
// kept of a layer on disk.
import { readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { served } from '../../harness/clusters/test-definitions.ts'
import { placesWith } from '../../harness/component/component-ground.ts'
import { crd, established } from '../../harness/component/orchards.ts'
import { type ManifestGround, manifestGround } from '../../harness/kyma/manifest-ground.ts'
import { matches } from '../../harness/matches.ts'
import { standInRegistry } from '../../harness/registries/registry.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { eventually } from '../../harness/until.ts'
import { digestOf, tar } from '../../make/artifact.ts'
import { settingsWith } from '../../make/settings.ts'

const folder = testFolder(t)

const somebody = { fieldManager: 'somebody' }
const ground = await manifestGround(t, { environment: { ESPALIER_BLOB_FOLDER: folder } })
await ground.createKyma('here')

const configMap = (name: string, { namespace }: Pick<ManifestGround, 'namespace'> = ground): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
})

/** A process that remembers nothing. */
const anew = () => ({ memory: processMemory() })

const stateOf = async (name: string, { read }: ManifestGround = ground) => {
  const { state, lastOperation } = (await read(name))?.status ?? {}
  return { state, operation: lastOperation?.operation }
}

const broken = /^failed to extract raw manifest from layer digest: /

t.test('KY-111 layers are one YAML file, gzipped or plain, or the first file of a tar', async t => {
  const yaml = (name: string) => stringify(configMap(name))
  const finder = { name: './._module.yaml', content: 'from macOS' }
  const layers: [name: string, type: string, content: Buffer][] = [
    ['plain', 'oci-ref', Buffer.from(yaml('plain'))],
    ['gzipped', 'oci-ref', gzipSync(yaml('gzipped'))],
    [
      'folder',
      'oci-dir',
      await tar([finder, { name: 'module.yaml', content: yaml('folder') }, { name: 'b', content: 'x' }]),
    ],
  ]
  for (const [name, type, content] of layers) {
    await ground.create(name, ground.layer(content), { type })
    matches(t, await ground.settle(name), { outcome: 'settled' }, name)
    t.ok(await ground.client.get(refOf(configMap(name))), name)
  }
  await ground.create('chart', ground.layer('a: b'), { type: 'helm-chart' })
  matches(t, await ground.settle('chart'), { outcome: 'waiting' })
  matches(t, await stateOf('chart'), { state: 'Error', operation: /the type "helm-chart" is not known/ })
})

t.test('RE-53 a Manifest that names its layer by an object with a field toString says what is wrong', async t => {
  const odd = { toString: 1 }
  await ground.create('odd', ground.layer(stringify(configMap('odd'))))
  for (const source of [{ ref: odd }, { name: odd }, { repo: odd }]) {
    await ground.change('odd', { spec: { install: { source } } })
    await ground.settle('odd')
    matches(
      t,
      await stateOf('odd'),
      { state: 'Error', operation: /cannot be pulled: expected a sha256 digest/ },
      JSON.stringify(source),
    )
    await ground.change('odd', { spec: { install: { source: { ref: 'x', name: 'x', repo: 'x' } } } })
  }
})

t.test('KY-112 RE-23 a layer that holds no objects is told, and what is installed stays', async t => {
  await ground.create('faulty', ground.layer(stringify(configMap('faulty'))))
  await ground.settle('faulty')
  const good = await ground.read('faulty')
  const { syncOciRef } = kymaNames.annotations
  const source = good?.spec.install.source
  const levels = Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(10)}]`)
  const bomb = ['l0: &l0 [x]', ...levels].join('\n')
  const wrong: [what: string, type: string, content: Buffer][] = [
    ['no YAML', 'oci-ref', Buffer.from('a: [')],
    ['no object', 'oci-ref', Buffer.from('just text')],
    ['nothing', 'oci-ref', Buffer.from('# nothing\n')],
    ['a bomb of aliases', 'oci-ref', Buffer.from(`${stringify(configMap('bomb'))}${bomb}`)],
    ['no text', 'oci-ref', Buffer.from([0xff, 0xfe, 0x00])],
    ['an empty tar', 'oci-dir', await tar([])],
    ['no tar', 'oci-dir', Buffer.alloc(2_000, 'x')],
    ['a way out', 'oci-dir', await tar([{ name: '../module.yaml', content: 'a: b' }])],
    ['a link', 'oci-dir', await tar([{ name: 'module.yaml', type: 'symlink', linkname: '/etc/passwd' }])],
    ['too much unpacked', 'oci-ref', gzipSync(Buffer.alloc(129 * 2 ** 20, ' '))],
    ['too much', 'oci-ref', Buffer.alloc(32 * 2 ** 20 + 1, ' ')],
  ]
  for (const [what, type, content] of wrong) {
    const ref = ground.layer(content)
    await ground.change('faulty', { spec: { install: { source: { ...source, ref, type } } } })
    matches(t, await ground.settle('faulty'), { outcome: String }, what)
    matches(t, await stateOf('faulty'), { state: 'Error', operation: broken }, what)
  }
  const swapped = ground.layer('other: content')
  ground.registry.intercept(path => (path.endsWith(swapped) ? { code: 200, body: 'swapped' } : undefined))
  await ground.change('faulty', { spec: { install: { source: { ...source, ref: swapped } } } })
  await ground.settle('faulty')
  matches(t, await stateOf('faulty'), { state: 'Error', operation: /has another digest/ })
  ground.registry.intercept(() => undefined)
  const after = await ground.read('faulty')
  t.equal(after?.metadata.annotations?.[syncOciRef], good?.metadata.annotations?.[syncOciRef])
  t.strictSame(after?.status?.synced, good?.status?.synced)
  t.ok(await ground.client.get(refOf(configMap('faulty'))))
  matches(t, after?.status?.conditions?.[0], { type: 'Resources', status: 'False', message: 'resources not parsed' })
  await ground.change('faulty', { spec: { install: { source } } })
  matches(t, await ground.settle('faulty'), { outcome: 'settled' }, 'corrected')
})

t.test(
  'KY-205 a module that brings what is the control plane’s own, or more than a status can list, is not installed',
  async t => {
    const kinds = ['Kyma', 'ModuleTemplate', 'ModuleReleaseMeta', 'Manifest', 'Watcher']
    const definitionOf = (kind: string, group = 'operator.kyma-project.io'): KubeObject => {
      const names = { kind, plural: `${kind.toLowerCase()}s` }
      const schema = { openAPIV3Schema: { type: 'object' } }
      const versions = [{ name: 'v1', served: true, storage: true, schema }]
      return {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: `${names.plural}.${group}` },
        spec: { group, names, scope: 'Namespaced', versions },
      }
    }
    const kyma = { ...kymaKind, metadata: { name: 'default', namespace: 'kyma-system' }, spec: { channel: 'fast' } }
    const many = Array.from({ length: 9_000 }, (_, n) => configMap(`${'many-'.repeat(16)}${n}`))
    const own =
      /^failed to extract raw manifest from layer digest: a module must not contain objects that belong to the control plane: /
    const rows: readonly [string, readonly KubeObject[], RegExp][] = [
      ...kinds.map((kind): [string, KubeObject[], RegExp] => [kind.toLowerCase(), [definitionOf(kind)], own]),
      ['a-kyma', [kyma, configMap('beside-a-kyma')], own],
      ['many', many, /: the names of its 9000 objects do not fit into its status$/],
    ]
    for (const [name, objects, text] of rows) {
      await ground.create(name, ground.layer(objects.map(object => JSON.stringify(object)).join('\n---\n')))
      matches(t, await ground.settle(name), { outcome: 'waiting' }, name)
      matches(t, await stateOf(name), { state: 'Error', operation: text })
      t.strictSame((await ground.read(name))?.status?.synced, undefined, name)
    }
    t.equal(await ground.client.get(refOf(configMap('beside-a-kyma'))), undefined, 'nothing of it')
    const beside = stringify(configMap('beside-a-default'))
    for (const kind of kinds) {
      const resource = { ...kymaKind, kind, metadata: { name: 'default', namespace: ground.namespace } }
      const name = `default-${kind.toLowerCase()}`
      await ground.create(name, ground.layer(beside), { spec: { resource } })
      matches(t, await ground.settle(name), { outcome: 'waiting' }, name)
      const operation = new RegExp(`${own.source}${kind} ${ground.namespace}/default$`)
      matches(t, await stateOf(name), { state: 'Error', operation })
      t.strictSame((await ground.read(name))?.status?.synced, undefined, name)
    }
    t.equal(await ground.client.get(refOf(configMap('beside-a-default'))), undefined, 'nor beside a default object')
    const theirs = definitionOf('Telemetry')
    await ground.create('theirs', ground.layer(stringify(theirs)))
    await ground.settle('theirs')
    t.ok(await ground.client.get(refOf(theirs)), 'a kind of its own in the same group')
    await ground.client.delete(refOf(theirs), {})
  },
)

t.test('KY-235 a Manifest of which nothing was ever applied goes at once and takes nothing along', async t => {
  const definition = crd(`sloes-${ground.namespace}.example`, 'Sloe', 'sloes')
  const [named, other] = ['default', 'other'].map(name => ({
    apiVersion: `sloes-${ground.namespace}.example/v1`,
    kind: 'Sloe',
    metadata: { name, namespace: ground.namespace },
  })) as [KubeObject, KubeObject]
  await established(ground.client, definition)
  for (const object of [named, other]) await ground.client.create(object, { fieldManager: 'person' })
  await ground.create('refused', ground.layer(stringify(definition)), { spec: { resource: named } })
  await ground.settle('refused')
  matches(t, await stateOf('refused'), { state: 'Error', operation: /already exists/ })
  const { manifest, labelRemoval, defaultResource } = kymaNames.finalizers
  await ground.change('refused', { metadata: { finalizers: [manifest, labelRemoval, defaultResource] } })
  await ground.remove('refused')
  await ground.settle('refused')
  t.equal(await ground.read('refused'), undefined)
  for (const object of [definition, named, other]) {
    const found = await ground.client.get(refOf(object))
    t.ok(found && found.metadata.deletionTimestamp === undefined, `${object.kind} ${object.metadata.name}`)
  }
  await ground.client.delete(refOf(definition), {})
})

t.test('KY-230 a module does not take over a definition that somebody else has', async t => {
  const [helm, kubectl] = [{ fieldManager: 'helm' }, { fieldManager: 'kubectl-client-side-apply' }]
  const definitionOf = (plural: string, kind: string) => crd(`${plural}-${ground.namespace}.example`, kind, plural)
  const objectOf = (plural: string, kind: string, name: string): KubeObject => ({
    apiVersion: `${plural}-${ground.namespace}.example/v1`,
    kind,
    metadata: { name, namespace: ground.namespace },
  })
  const withDefinition = (name: string, definition: KubeObject, resource?: KubeObject) =>
    ground.create(
      name,
      ground.layer([configMap(`beside-${name}`), definition].map(one => stringify(one)).join('---\n')),
      {
        ...(resource && { spec: { resource } }),
      },
    )
  const live = (object: KubeObject) => ground.client.get(refOf(object), { withManagedFields: true })
  const isRefused = async (name: string, definition: KubeObject, why: RegExp) => {
    const before = await live(definition)
    matches(t, await ground.settle(name), { outcome: 'waiting' }, name)
    const { state, operation = '' } = await stateOf(name)
    matches(t, { state, operation }, { state: 'Error', operation: why })
    const text = `failed to extract raw manifest from layer digest: CustomResourceDefinition ${definition.metadata.name} `
    t.ok(operation.startsWith(text), operation)
    t.strictSame(await live(definition), before, `${name}: the definition is as it was`)
    t.strictSame(
      [await live(configMap(`beside-${name}`)), (await ground.read(name))?.status?.synced],
      [undefined, undefined],
      'and nothing else is written',
    )
  }
  const isInstalled = async (name: string, definition: KubeObject) => {
    await eventually(
      `${name} is Ready`,
      async () => {
        await ground.settle(name)
        return (await stateOf(name)).state === 'Ready'
      },
      60,
    )
    matches(t, await live(definition), {
      metadata: { annotations: { [kymaNames.annotations.ownedBy]: `${ground.namespace}/${name}` } },
    })
  }

  const kept = definitionOf('quinces', 'Quince')
  await ground.client.create(kept, helm)
  await withDefinition('kept-by-helm', kept)
  await isRefused('kept-by-helm', kept, /already exists and is maintained by helm$/)
  await ground.remove('kept-by-helm')
  await ground.settle('kept-by-helm')
  t.strictSame([await ground.read('kept-by-helm'), Boolean(await live(kept))], [undefined, true], 'it goes alone')

  const used = definitionOf('medlars', 'Medlar')
  await ground.client.create(used, kubectl)
  await served(ground.client, objectOf('medlars', 'Medlar', ''))
  await ground.client.create(objectOf('medlars', 'Medlar', 'mine'), somebody)
  await withDefinition('in-use', used, objectOf('medlars', 'Medlar', 'default'))
  await isRefused('in-use', used, /already exists and is in use: .*\/mine$/)
  const note = { metadata: { annotations: { [kymaNames.annotations.ownedBy]: `${ground.namespace}/in-use` } } }
  await ground.client.patch(refOf(used), { type: 'merge', body: note }, kubectl)
  await isInstalled('in-use', used)

  const byHand = definitionOf('damsons', 'Damson')
  await ground.client.create(byHand, kubectl)
  await served(ground.client, objectOf('damsons', 'Damson', ''))
  await ground.client.create(objectOf('damsons', 'Damson', 'default'), somebody)
  await withDefinition('by-hand', byHand, objectOf('damsons', 'Damson', 'default'))
  await isInstalled('by-hand', byHand)
  await ground.change('by-hand', { metadata: { finalizers: ['example.com/held'] } })
  await ground.remove('by-hand')
  await withDefinition('its-heir', byHand)
  await isInstalled('its-heir', byHand)
  await ground.change('by-hand', { metadata: { finalizers: null } })
  await ground.remove('its-heir')
  await ground.settle('its-heir')
  for (const definition of [kept, used]) await ground.client.delete(refOf(definition), {})
})

t.test('KY-236 KY-240 a definition that somebody makes after the Manifest listed it is not taken over', async t => {
  const definition = crd(`bullaces-${ground.namespace}.example`, 'Bullace', 'bullaces')
  const beside = configMap('beside-bullaces')
  const theirs: KubeObject = {
    apiVersion: `bullaces-${ground.namespace}.example/v1`,
    kind: 'Bullace',
    metadata: { name: 'default', namespace: ground.namespace },
  }
  const layer = ground.layer([beside, definition].map(one => stringify(one)).join('---\n'))
  await ground.create('listed', layer, { spec: { resource: theirs } })
  const { manifest, labelRemoval } = kymaNames.finalizers
  const made = await ground.change('listed', { metadata: { finalizers: [manifest, labelRemoval] } })
  const synced = [beside, definition].map(({ apiVersion, kind, metadata }) => {
    const [group, version] = kind === 'ConfigMap' ? ['', 'v1'] : apiVersion.split('/')
    return { group, version, kind, namespace: metadata.namespace ?? '', name: metadata.name }
  })
  const body = { status: { state: 'Processing', synced } }
  const somebodys = { ...somebody, subresource: 'status' }
  await ground.client.patch(refOf(made), { type: 'merge', body }, somebodys)
  await ground.client.create(definition, { fieldManager: 'helm' })
  await served(ground.client, theirs)
  await ground.client.create(theirs, { fieldManager: 'helm' })
  const before = await ground.client.get(refOf(definition))
  await ground.settle('listed')
  matches(t, await stateOf('listed'), { state: 'Error', operation: /already exists and is maintained by helm$/ })
  t.strictSame(await ground.client.get(refOf(beside)), undefined)
  await ground.create('drops', ground.layer(stringify(beside)))
  await ground.change('drops', { metadata: { finalizers: [manifest, labelRemoval] } })
  await ground.client.patch(refOf((await ground.read('drops')) ?? made), { type: 'merge', body }, somebodys)
  await ground.settle('drops')
  matches(t, await stateOf('drops'), { state: 'Ready' }, 'which brings it no more')
  t.strictSame((await ground.read('drops'))?.status?.synced?.length, 1)
  for (const name of ['listed', 'drops']) {
    await ground.remove(name)
    await ground.settle(name)
    t.strictSame([await ground.read(name), await ground.client.get(refOf(definition))], [undefined, before], name)
  }
  t.equal((await ground.client.get(refOf(theirs)))?.metadata.deletionTimestamp, undefined)
  t.ok(
    await ground.client.get(refOf(theirs)),
    'an object of that definition stays, though it has the name of the default object',
  )
  await ground.client.delete(refOf(definition), {})
})

t.test('KY-113 a registry in trouble is asked again after 5 to 30 s', async t => {
  const ref = ground.layer(stringify(configMap('later')))
  ground.registry.intercept(() => ({ code: 503 }))
  await ground.create('later', ref)
  matches(t, await ground.settle('later'), { outcome: 'failed', requeueAfterSeconds: 5 })
  matches(t, await stateOf('later'), { state: 'Error', operation: broken })
  ground.registry.intercept(() => undefined)
  matches(t, await ground.settle('later'), { outcome: 'settled' })
})

const secret = (name: string, host: string, { namespace }: ManifestGround): KubeObject => {
  const auths = { [host]: { username: 'alice', password: 'wonderland' } }
  const text = JSON.stringify({ auths })
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace },
    data: { '.dockerconfigjson': Buffer.from(text).toString('base64') },
  }
}

const pulledBy = async (t: Test, by: 'basic' | 'bearer') => {
  const own = await manifestGround(t, { users: { username: 'alice', password: 'wonderland', by } })
  const settingsOf = settingsWith({ registrySecret: 'registry' })
  await own.createKyma('here')
  const elsewhere = await standInRegistry(t)
  const body = Buffer.from(stringify(configMap('private', own)))
  const ref = own.layer(body)
  elsewhere.putBlob('kept', body)
  own.registry.intercept((path, { headers }) =>
    path.endsWith(ref) && headers.authorization
      ? { code: 307, headers: { location: `http://${elsewhere.host}/v2/kept/blobs/${digestOf(body)}` } }
      : undefined,
  )
  await own.create('private', ref)
  matches(t, await own.settle('private', { settingsOf }), { outcome: 'waiting' })
  t.strictSame(await stateOf('private', own), {
    state: 'Error',
    operation: `no private oci registry auth secret found: ${own.namespace}/registry`,
  })
  await own.client.create(secret('registry', own.registry.host, own), somebody)
  matches(t, await own.settle('private', { settingsOf, ...placesAt(own, elsewhere.host) }), { outcome: 'settled' }, by)
  t.ok(await own.client.get(refOf(configMap('private', own))), by)
  t.strictSame(
    elsewhere.requests.map(({ authorization }) => authorization),
    [undefined],
    'not along the redirect',
  )
}

const placesAt = ({ registry }: ManifestGround, host: string) =>
  placesWith({ ESPALIER_PLAIN_REGISTRIES: `${registry.host},${host}` })

t.test('KY-113 KY-114 credentials come from the Secret, by Basic or Bearer, and stay with their host', async t => {
  await pulledBy(t, 'basic')
  await pulledBy(t, 'bearer')
})

t.test('KY-115 plain HTTP only to what is listed on loopback; any other host is named', async t => {
  const ref = ground.layer('a: b')
  await ground.create('plain-http', ref)
  const { install } = (await ground.read('plain-http'))?.spec ?? {}
  const repositories: [repo: string, said: RegExp][] = [
    ['http://registry.example', /registry\.example must not be used without TLS/],
    ['http://127.0.0.1:1', /127\.0\.0\.1:1 must not be used without TLS/],
    [`https://${ground.registry.host}`, /points to "127\.0\.0\.1"|cannot be reached/],
  ]
  for (const [repo, said] of repositories) {
    await ground.change('plain-http', { spec: { install: { source: { ...install?.source, repo } } } })
    await ground.settle('plain-http')
    matches(t, await stateOf('plain-http'), { state: 'Error', operation: said }, repo)
  }
  const good = ground.layer(stringify(configMap('plain-http')))
  const repo = `http://${ground.registry.host}`
  await ground.change('plain-http', { spec: { install: { source: { ...install?.source, repo, ref: good } } } })
  matches(t, await ground.settle('plain-http'), { outcome: 'settled' })
})

t.test('KY-116 a blob on disk counts by its digest alone', async t => {
  const ref = ground.layer(stringify(configMap('kept')))
  const file = join(folder, ref.replace(':', '-'))
  const pulls = () => ground.registry.requests.filter(({ path }) => path.endsWith(ref)).length
  await ground.create('kept', ref)
  await ground.settle('kept', anew())
  t.equal(pulls(), 1)
  await ground.settle('kept', anew())
  t.equal(pulls(), 1, 'from disk')
  const content = readFileSync(file)
  const damages: [what: string, damage: () => void][] = [
    ['deleted', () => unlinkSync(file)],
    ['truncated', () => truncateSync(file, 3)],
    ['altered', () => writeFileSync(file, stringify(configMap('planted')))],
  ]
  for (const [index, [what, damage]] of damages.entries()) {
    damage()
    matches(t, await ground.settle('kept', anew()), { outcome: 'settled' }, what)
    t.equal(pulls(), index + 2, `${what}: pulled again`)
    t.strictSame(readFileSync(file), content, what)
  }
  t.equal(await ground.client.get(refOf(configMap('planted'))), undefined)
  t.notOk(readdirSync(folder).some(name => name.endsWith('.part')))
})

t.test('a Manifest goes though its registry is away', async t => {
  await ground.create('leaving', ground.layer(stringify(configMap('leaving'))))
  await ground.settle('leaving')
  const { install } = (await ground.read('leaving'))?.spec ?? {}
  const ref = ground.layer('other: content')
  ground.registry.intercept(() => ({ code: 503 }))
  await ground.change('leaving', { spec: { install: { source: { ...install?.source, ref } } } })
  await ground.remove('leaving')
  await ground.settle('leaving', anew())
  ground.registry.intercept(() => undefined)
  t.strictSame(
    [await ground.read('leaving'), await ground.client.get(refOf(configMap('leaving')))],
    [undefined, undefined],
  )
})
