// What kyma reads: how often, of whom, and what it makes of registries; and which Kymas a change of something else concerns.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { kymasConcerned } from '../../../functions/kyma/gather/kymas-concerned.ts'
import { gather } from '../../../functions/kyma/gather.ts'
import { kyma as kymaFunction } from '../../../functions/kyma/index.ts'
import { type KymaSettings, kymaSettings } from '../../../functions/kyma/settings.ts'
import { type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { matchesLabels, parseLabelSelector } from '../../../shared/core/objects/label-selector.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { ListQuery, Reads } from '../../../shared/kube/client-types.ts'
import type { Kyma, Manifest, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { normalisedText } from '../../../shared/kyma/modules/normal-forms.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { markingFor } from '../../../shared/runtime/marks.ts'
import type { RegistryCall } from '../../../shared/runtime/modules/registry-call.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { matches, rejects } from '../../harness/matches.ts'
import { type StandInRegistry, standInRegistry } from '../../harness/registries/registry.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { tar } from '../../make/artifact.ts'
import { moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import { kymaWorld, listing, ownKyma, passOf, settledWorld } from '../../make/kyma/kyma-world.ts'
import { callTo, descriptorTar, noRegistry, pushDescriptor } from '../../make/kyma/module-registry.ts'

/** An API server that holds these, and notes what is asked. */
const holding = (...objects: readonly KubeObject[]) => {
  const asked: string[] = []
  const reads: Reads = {
    get: async ({ kind, name }) => {
      asked.push(`get ${kind} ${name}`)
      return objects.find(object => object.kind === kind && object.metadata.name === name)
    },
    list: async ({ kind, labelSelector = '' }: ListQuery) => {
      asked.push(`list ${kind}${labelSelector && ` ${labelSelector}`}`)
      const requirements = parseLabelSelector(labelSelector)
      return objects.filter(object => object.kind === kind && matchesLabels(requirements, object.metadata.labels))
    },
  }
  return { asked, reads }
}

const settingsWith = (given: Partial<KymaSettings> = {}): KymaSettings => ({ ...defaultValues(kymaSettings), ...given })

/** Kymas of these tests have no runtime. */
const contextOf = (reads: Reads, settings = settingsWith()): GatherContext<KymaSettings> => ({
  reads,
  settings,
  memory: processMemory(),
  clusters: { of: () => Promise.reject(new Error('there is no other cluster')) },
})

const gathered = (kyma: Kyma, context: GatherContext<KymaSettings>, registry: RegistryCall) =>
  gather(kyma, context, { ...registry, marking: markingFor('kyma', context) })

const telemetry = { name: 'telemetry' }

t.test('KY-08 KY-181 a steady pass of a Kyma without a runtime is three lists, and no Secret', async t => {
  const world = settledWorld(
    kymaWorld({ kyma: listing(telemetry), templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }),
  )
  const { asked, reads } = holding(moduleTemplate(), moduleReleaseMeta(), ...world.manifests)
  const found = await gathered(world.kyma, contextOf(reads), noRegistry)
  t.strictSame(asked.sort(), [
    'list Manifest operator.kyma-project.io/kyma-name=default-id',
    'list ModuleReleaseMeta',
    'list ModuleTemplate',
  ])
  t.strictSame(found.manifests, world.manifests)
})

t.test('KY-183 Kymas that are called at the same time share one read of the catalogue', async t => {
  const { asked, reads } = holding(moduleTemplate(), moduleReleaseMeta())
  const context = contextOf(reads)
  const kymas = ['a', 'b', 'c'].map(name => ownKyma({ metadata: { name }, spec: { modules: [telemetry] } }))
  const found = await Promise.all(kymas.map(kyma => gathered(kyma, context, noRegistry)))
  t.strictSame(
    asked.filter(text => /^list Module/.test(text)).sort(),
    ['list ModuleReleaseMeta', 'list ModuleTemplate'],
    'each of them is listed once',
  )
  for (const { catalogue } of found)
    t.strictSame(
      [catalogue.templates, catalogue.metas].map(objects => objects.length),
      [1, 1],
    )
})

t.test('KY-351 Kymas that are called at the same time share one list of their Manifests', async t => {
  const world = settledWorld(
    kymaWorld({ kyma: listing(telemetry), templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }),
  )
  const { asked, reads } = holding(moduleTemplate(), moduleReleaseMeta(), ...world.manifests)
  const context = contextOf(reads)
  const other = ownKyma({ metadata: { name: 'other' } })
  const found = await Promise.all([world.kyma, other].map(kyma => gathered(kyma, context, noRegistry)))
  t.strictSame(
    asked.filter(text => text.startsWith('list Manifest')),
    ['list Manifest operator.kyma-project.io/kyma-name in (default-id,other)'],
  )
  t.strictSame(
    found.map(({ manifests }) => manifests),
    [world.manifests, []],
  )
})

t.test('KY-351 questions which Kymas a change concerns share one list', async t => {
  const { asked, reads } = holding(listing(telemetry), moduleTemplate())
  const context = contextOf(reads)
  const change = () => Promise.resolve(kymaFunction.keys?.(moduleTemplate(), context, 'MODIFIED'))
  const keys = await Promise.all([change(), change(), change()])
  t.strictSame(asked, ['list Kyma'])
  t.strictSame(
    keys.map(found => found?.map(({ name }) => name)),
    Array(3).fill(['default-id']),
  )
})

t.test('KY-11 KY-12 nothing is read for a Kyma that is left alone', async t => {
  for (const label of ['skip-reconciliation', 'managed-by']) {
    const labels = { [`operator.kyma-project.io/${label}`]: 'true' }
    const { asked, reads } = holding()
    await gathered(ownKyma({ metadata: { labels } }), contextOf(reads), noRegistry)
    t.strictSame(asked, [], label)
  }
})

t.test('KY-52 KY-54 a Manifest of the needed name is found though it does not carry the label', async t => {
  const world = settledWorld(
    kymaWorld({ kyma: listing(telemetry), templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }),
  )
  const [manifest] = world.manifests as [Manifest]
  const bare = { ...manifest, metadata: { ...manifest.metadata, labels: {} } }
  const { asked, reads } = holding(moduleTemplate(), moduleReleaseMeta(), bare)
  const found = await gathered(world.kyma, contextOf(reads), noRegistry)
  t.strictSame(found.manifests, [bare])
  t.ok(asked.includes(`get Manifest ${manifest.metadata.name}`))
  matches(t, passOf(found).steps, [{ do: 'patch' }])
})

t.test(
  'KY-350 KY-52 the Manifest of a module that is not in the status is not searched for before its creation failed',
  async t => {
    const { kyma, manifests } = settledWorld(
      kymaWorld({ kyma: listing(telemetry), templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }),
    )
    const name = manifests[0]?.metadata.name
    const { asked, reads } = holding(moduleTemplate(), moduleReleaseMeta())
    const first = await gathered({ ...kyma, status: {} }, contextOf(reads), noRegistry)
    t.notOk(asked.includes(`get Manifest ${name}`))
    const { steps, status } = passOf(first, { failing: () => 'it already exists' })
    matches(t, steps, [{ do: 'create', object: { metadata: { name } } }])
    matches(t, status?.modules, [{ name: 'telemetry', state: 'Error', message: /already exists/ }])
    await gathered({ ...kyma, status: status as Kyma['status'] }, contextOf(reads), noRegistry)
    t.ok(asked.includes(`get Manifest ${name}`))
  },
)

const component = 'kyma-project.io/module/telemetry'
const layer = Buffer.from('apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\n')
const digestOf = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

/** The document of a component whose layer is this one. */
const documentWith = (layer: Buffer): JsonMap => ({
  meta: { schemaVersion: 'v2' },
  component: {
    name: component,
    version: '1.2.3',
    provider: 'kyma-project.io',
    repositoryContexts: [{ type: 'OCIRegistry', componentNameMapping: 'urlPath' }],
    resources: [
      {
        name: 'raw-manifest',
        version: '1.2.3',
        type: 'yaml',
        access: { type: 'localBlob', localReference: `sha256:${digestOf(layer)}` },
        digest: { hashAlgorithm: 'SHA-256', normalisationAlgorithm: 'genericBlobDigest/v1', value: digestOf(layer) },
      },
    ],
  },
})

/** A component as it lies in a registry. */
const pushComponent = (registry: StandInRegistry, packed: Buffer, tag = '1.2.3'): void =>
  pushDescriptor(registry, { repository: `modules/component-descriptors/${component}`, tag, packed })

const bare = moduleTemplate({ spec: { descriptor: { component: null } } as never })
const named = moduleReleaseMeta({ spec: { ocmComponentName: component } })

/** A pass of a Kyma with the module, with all that these objects and the registry say. */
const passWith = async (registry: StandInRegistry, objects: readonly KubeObject[]) => {
  const { reads } = holding(...objects)
  const settings = settingsWith({ registry: `${registry.host}/modules` })
  const context = contextOf(reads, settings)
  return passOf(await gathered(listing(telemetry), context, callTo(registry, context)))
}

t.test('KY-34 a descriptor that the ModuleTemplate does not hold comes from the registry', async t => {
  const registry = await standInRegistry(t)
  const without = moduleReleaseMeta()
  const unnamed = await passWith(registry, [bare, without])
  matches(t, unnamed.status, {
    modules: [
      {
        state: 'Error',
        message:
          'ModuleTemplate telemetry-1.2.3 contains no component descriptor, and ModuleReleaseMeta telemetry has no spec.ocmComponentName from which to pull it',
      },
    ],
  })
  const path = `${registry.host}/modules/component-descriptors/${component}:1.2.3`
  const absent = await passWith(registry, [bare, named])
  matches(t, absent.status, {
    modules: [
      { state: 'Error', message: `${path} cannot be pulled: the registry has no such repository, tag or digest (404)` },
    ],
  })
  matches(t, absent.next, { is: 'failed', seconds: 5 })
  pushComponent(registry, await descriptorTar(documentWith(layer)))
  const { steps } = await passWith(registry, [bare, named])
  const source = { name: component, ref: `sha256:${digestOf(layer)}`, repo: `${registry.host}/modules` }
  matches(t, steps, [{ do: 'create', object: { spec: { version: '1.2.3', install: { source } } } }])
})

t.test('KY-34 a plus sign in a version is spelled otherwise in the tag', async t => {
  const registry = await standInRegistry(t)
  const packed = await descriptorTar(documentWith(layer))
  pushComponent(registry, packed, '1.2.3.build-7')
  const template = { ...bare, spec: { ...bare.spec, version: '1.2.3+7' } }
  matches(t, (await passWith(registry, [template, named])).steps, [{ do: 'create' }])
})

t.test('KY-34 what is no descriptor in the registry is named', async t => {
  const cases: [name: string, text: string, fault: RegExp][] = [
    ['another.yaml', '{}', /the layer contains no component-descriptor.yaml/],
    ['component-descriptor.yaml', '[]', /the layer contains no component-descriptor.yaml/],
    ['component-descriptor.yaml', '{ "component": {} }', /component descriptor has no component.name/],
    ['component-descriptor.yaml', '{', /./],
  ]
  for (const [name, text, message] of cases) {
    const registry = await standInRegistry(t)
    pushComponent(registry, await tar([{ name, content: text }]))
    matches(t, (await passWith(registry, [bare, named])).status, { modules: [{ state: 'Error', message }] })
  }
})

/** Keys and signatures made by openssl. */
const signer = (t: Test) => {
  const folder = testFolder(t)
  const openssl = (...args: readonly string[]): Buffer => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  openssl('genrsa', '-out', 'private.pem', '2048')
  openssl('rsa', '-in', 'private.pem', '-pubout', '-out', 'public.pem')
  const data = { key: readFileSync(join(folder, 'public.pem')).toString('base64') }
  const signed = (document: JsonMap): JsonMap => {
    const normalisationAlgorithm = 'jsonNormalisation/v3'
    const text = normalisedText(document, normalisationAlgorithm) ?? ''
    writeFileSync(join(folder, 'text'), text)
    const value = openssl('dgst', '-sha256', '-sign', 'private.pem', 'text').toString('hex')
    const signature = { algorithm: 'RSASSA-PKCS1-V1_5', mediaType: 'application/vnd.ocm.signature.rsa', value }
    const digest = { hashAlgorithm: 'SHA-256', normalisationAlgorithm, value: digestOf(text) }
    return { ...document, signatures: [{ name: 'release', digest, signature }] }
  }
  return { signed, secret: keySecret(data) }
}

const keySecret = (data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  data,
  metadata: {
    name: 'release-key',
    namespace: 'kcp-system',
    uid: 'secret',
    labels: { 'operator.kyma-project.io/signature': 'release' },
  },
})

const signedTemplate = (descriptor: JsonMap) => ({
  ...moduleTemplate({ metadata: { labels: { 'operator.kyma-project.io/signature': 'release' } } }),
  spec: { ...moduleTemplate().spec, descriptor },
})

t.test('KY-36 KY-37 KY-38 a signed module is installed when signature and layer fit', async t => {
  const registry = await standInRegistry(t)
  const { signed, secret } = signer(t)
  const repository = `modules/component-descriptors/${component}`
  registry.putBlob(repository, layer)
  const document = signed(documentWith(layer))
  const meta = moduleReleaseMeta()
  const good = await passWith(registry, [signedTemplate(document), meta, secret])
  matches(t, good.steps, [{ do: 'create' }])
  const messageOf = async (descriptor: JsonMap, ...more: readonly KubeObject[]): Promise<unknown> => {
    const { steps, status } = await passWith(registry, [signedTemplate(descriptor), meta, ...more])
    t.strictSame(steps, [])
    return (status as { modules: [{ message: string }] }).modules[0].message
  }
  t.equal(await messageOf(documentWith(layer), secret), 'could not verify signature: no signature was found')
  t.equal(
    await messageOf(document),
    'could not verify signature: no Secret with its public key exists (label operator.kyma-project.io/signature=release)',
  )
  const swapped = Buffer.from('kind: Other\n')
  registry.putBlob(repository, swapped)
  const elsewhere = JSON.parse(
    JSON.stringify(document).replace(`sha256:${digestOf(layer)}`, `sha256:${digestOf(swapped)}`),
  )
  t.equal(
    await messageOf(elsewhere, secret),
    'could not verify signature: the layer of resource raw-manifest differs from the signed layer',
    'access is not signed, so it may lead to another layer',
  )
  const fresh = Buffer.from('kind: Fresh\n')
  const path = `/v2/${repository}/blobs/sha256:${digestOf(fresh)}`
  registry.intercept(asked => (asked === path ? { code: 200, body: swapped } : undefined))
  const place = `${registry.host}/${repository}@sha256:${digestOf(fresh)} cannot be pulled`
  t.equal(
    await messageOf(signed(documentWith(fresh)), secret),
    `could not verify signature: ${place}: the content received for sha256:${digestOf(fresh)} has another digest`,
  )
})

t.test('KY-38 the digest of a layer may be that of its content unpacked', async t => {
  const registry = await standInRegistry(t)
  const { signed, secret } = signer(t)
  const packed = gzipSync(layer)
  registry.putBlob(`modules/component-descriptors/${component}`, packed)
  const document = JSON.parse(
    JSON.stringify(documentWith(layer)).replace(`sha256:${digestOf(layer)}`, `sha256:${digestOf(packed)}`),
  )
  const { steps } = await passWith(registry, [signedTemplate(signed(document)), moduleReleaseMeta(), secret])
  matches(t, steps, [{ do: 'create' }])
})

t.test('KY-38 every layer of a signed module is compared, not the first alone', async t => {
  const { signed, secret } = signer(t)
  const [raw] = mapsIn(mapOrEmpty(documentWith(layer).component).resources)
  const resources = [raw, { ...raw, name: 'config' }]
  const component = { ...mapOrEmpty(documentWith(layer).component), resources }
  const document = signed({ ...documentWith(layer), component })
  const other = `sha256:${digestOf('other')}`
  const swapped = [raw, { ...raw, name: 'config', access: { type: 'localBlob', localReference: other } }]
  const descriptor = { ...document, component: { ...component, resources: swapped } }
  const layers = { [`sha256:${digestOf(layer)}`]: digestOf(layer), [other]: digestOf('other') }
  const world = kymaWorld({
    kyma: listing(telemetry),
    metas: [moduleReleaseMeta()],
    templates: [signedTemplate(descriptor) as ModuleTemplate],
    signatureSecrets: new Map([['release', [secret]]]),
    layerDigests: new Map(Object.entries(layers).map(([ref, digest]) => [`${ref} sha256`, { read: [digest] }])),
  })
  const message = 'could not verify signature: the layer of resource config differs from the signed layer'
  matches(t, passOf(world).status, { modules: [{ state: 'Error', message }] })
})

t.test('KY-36 the setting asks for a signature where the ModuleTemplate does not', async t => {
  const { signed, secret } = signer(t)
  const world = (descriptor: JsonMap, ...secrets: KubeObject[]) =>
    kymaWorld({
      kyma: listing(telemetry),
      metas: [moduleReleaseMeta()],
      settings: { signature: 'release' },
      templates: [{ ...moduleTemplate(), spec: { ...moduleTemplate().spec, descriptor } }],
      signatureSecrets: new Map([['release', secrets]]),
    })
  const plain = { component: { name: component, version: '1.2.3' } }
  matches(t, passOf(world(plain, secret)).status, {
    modules: [{ state: 'Error', message: 'could not verify signature: no signature was found' }],
  })
  matches(t, passOf(world(signed(plain), secret)).steps, [{ do: 'create' }])
})

t.test('KY-37 the installed version stays when its successor is not signed', async t => {
  const installed = settledWorld(
    kymaWorld({ kyma: listing(telemetry), templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }),
  )
  const signature = { 'operator.kyma-project.io/signature': 'release' }
  const unsigned = moduleTemplate({ metadata: { labels: signature } })
  const { steps, status } = passOf({ ...installed, catalogue: { templates: [unsigned], metas: [moduleReleaseMeta()] } })
  t.strictSame(steps, [])
  matches(t, status, {
    state: 'Error',
    modules: [{ state: 'Error', version: '1.2.3', manifest: { kind: 'Manifest' } }],
  })
})

const module = (name: string, status: object = {}) => ({
  name,
  state: 'Ready',
  version: '1.2.3',
  channel: 'regular',
  ...status,
})
const kymaOf = (name: string, modules: readonly object[], spec: object = {}): Kyma =>
  ownKyma({ metadata: { name }, spec, status: { modules: [...modules] } } as never)

/** The names of the Kymas that are called. */
const concerned = async (
  about: KubeObject,
  objects: readonly KubeObject[],
  {
    change = 'MODIFIED' as const,
    settings = {},
  }: { change?: 'MODIFIED' | 'DELETED'; settings?: Partial<KymaSettings> } = {},
): Promise<string[]> => {
  const { reads } = holding(...objects)
  const keys = await kymasConcerned(about, { reads, settings: settingsWith(settings) }, change)
  return keys.map(({ name }) => name)
}

t.test('KY-188 KY-193 a release calls the Kymas whose module it does not leave as it is', async t => {
  const kymas = [
    kymaOf('has-it', [module('telemetry')]),
    kymaOf('older', [module('telemetry', { version: '1.2.2' })]),
    kymaOf('fast', [module('telemetry', { channel: 'fast', version: '1.3.0' })], {
      modules: [{ name: 'telemetry', channel: 'fast' }],
    }),
    kymaOf('broken', [module('telemetry', { state: 'Error' })]),
    kymaOf('warned', [module('telemetry', { state: 'Warning' })]),
    kymaOf('new', [], { modules: [telemetry] }),
    kymaOf('another', [module('keda')]),
  ]
  const channels = (fast: string) => [
    { channel: 'regular', version: '1.2.3' },
    { channel: 'fast', version: fast },
  ]
  const meta = (fast: string, change: object = {}) =>
    moduleReleaseMeta({ ...change, spec: { channels: channels(fast) } })
  const always = ['older', 'broken', 'warned', 'new']
  t.strictSame(await concerned(meta('1.3.0'), kymas), always)
  t.strictSame(await concerned(meta('1.4.0'), kymas), ['older', 'fast', 'broken', 'warned', 'new'])
  const everyone = kymas.slice(0, -1).map(({ metadata }) => metadata.name)
  t.strictSame(await concerned(meta('1.3.0'), kymas, { change: 'DELETED' }), everyone)
  t.strictSame(await concerned(meta('1.3.0'), kymas, { settings: { restrictedModules: ['telemetry'] } }), everyone)
  for (const [managedBy, called] of [
    [null, always],
    ['somebody', everyone],
  ] as const) {
    const labels = { 'operator.kyma-project.io/managed-by': managedBy }
    t.strictSame(await concerned(meta('1.3.0', { metadata: { labels } }), kymas), called)
  }
  const mandatory = moduleReleaseMeta({ spec: { channels: null, mandatory: { version: '1.2.3' } } as never })
  t.strictSame(await concerned(mandatory, kymas), [...everyone, 'another'])
})

t.test('KY-229 for a Kyma whose name no label can hold nothing is read or made, and it goes', async t => {
  const named = (length: number, fields: object = {}) => {
    const spec = { remote: { enabled: true }, modules: [telemetry] }
    return ownKyma({ metadata: { name: 'k'.repeat(length), ...fields }, spec })
  }
  const { asked, reads } = holding(moduleTemplate(), moduleReleaseMeta())
  const context = contextOf(reads)
  const long = passOf(await gathered(named(64), context, noRegistry))
  const operation = /^the name of the Kyma has 64 characters, but must have at most 63/
  matches(t, long, { steps: [], next: { is: 'stalled' }, status: { state: 'Error', lastOperation: { operation } } })
  matches(t, long.status.conditions, [{ type: 'Modules', status: 'Unknown' }])
  t.strictSame(asked, [])
  const going = { deletionTimestamp: '2026-11-23T11:00:00Z' }
  const world = await gathered(named(64, going), context, noRegistry)
  const begun = { ...world, kyma: { ...world.kyma, status: { state: 'Deleting' } } as Kyma }
  matches(t, passOf(begun).steps, [{ do: 'removeFinalizer' }])
  t.strictSame(asked, [])
  await rejects(t, gathered(named(63), context, noRegistry), new Error('there is no other cluster'))
})

t.test('KY-23 KY-24 a ModuleTemplate calls the Kymas that have its module, by any of its names', async t => {
  const kymas = [
    kymaOf('listed', [], { modules: [telemetry] }),
    kymaOf('left', [module('telemetry')]),
    kymaOf('none', []),
  ]
  const both = ['listed', 'left']
  t.strictSame(await concerned(moduleTemplate(), kymas), both)
  const byName = moduleTemplate({ spec: { moduleName: 'otherwise' } })
  t.strictSame(await concerned(byName, kymas), both)
  const byLabel = moduleTemplate({
    metadata: { name: 'x', labels: { 'operator.kyma-project.io/module-name': 'telemetry' } },
    spec: { moduleName: 'otherwise' },
  })
  t.strictSame(await concerned(byLabel, kymas), both)
  t.strictSame(
    await concerned(moduleTemplate({ metadata: { name: 'keda-1.2.3' }, spec: { moduleName: 'keda' } }), kymas),
    [],
  )
})

t.test('KY-39 a Secret with keys calls the Kymas with modules that are verified by them', async t => {
  const of = (name: string) => ({
    template: { apiVersion: 'x', kind: 'ModuleTemplate', metadata: { name, namespace: 'x' } },
  })
  const kymas = [
    kymaOf('signed', [module('telemetry', of('telemetry-1.2.3'))]),
    kymaOf('refused', [module('telemetry', { state: 'Error' })]),
    kymaOf('plain', [module('keda', of('keda-2.0.0'))]),
    kymaOf('empty', []),
  ]
  const templates = [signedTemplate({}), moduleTemplate({ metadata: { name: 'keda-2.0.0' } })]
  t.strictSame(await concerned(keySecret({}), [...kymas, ...templates]), ['signed', 'refused'])
  const other: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', namespace: 'kcp-system' } }
  t.strictSame(await concerned(other, [...kymas, ...templates]), [], 'a Secret of something else')
  const all = ['signed', 'refused', 'plain']
  t.strictSame(await concerned(keySecret({}), [...kymas, ...templates], { settings: { signature: 'release' } }), all)
})
