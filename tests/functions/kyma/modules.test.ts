// The Manifests of a Kyma's modules: what is made, corrected and deleted, and what the entries in the status say.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { decide } from '../../../functions/kyma/decide.ts'
import { copyFault } from '../../../functions/kyma/rules/copy-fault.ts'
import type { World } from '../../../functions/kyma/world.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { sha256Hex } from '../../../shared/core/digest.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Kyma, Manifest, ModuleEntry, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { moduleDescriptor } from '../../../shared/kyma/modules/descriptor.ts'
import { normalisedText } from '../../../shared/kyma/modules/normal-forms.ts'
import { signedLayers } from '../../../shared/kyma/modules/signature.ts'
import { matches } from '../../harness/matches.ts'
import { moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import {
  changedManifest,
  kymaWorld,
  listing,
  nextWorld,
  noon,
  ownKyma,
  passOf,
  settledWorld,
} from '../../make/kyma/kyma-world.ts'

const telemetry = { name: 'telemetry' }
const keda = { name: 'keda' }
const telemetryManifest = 'default-id-telemetry-812080235'
const digest = (digit: string) => `sha256:${digit.repeat(64)}`

/** The ModuleTemplate `<module>-<version>`. */
const templateOf = (module: string, version: string, spec: object = {}): ModuleTemplate =>
  moduleTemplate({
    metadata: { name: `${module}-${version}`, generation: 1 },
    spec: {
      moduleName: module,
      version,
      ...spec,
      descriptor: { component: { name: `kyma-project.io/module/${module}`, version, ...componentOf(spec) } },
    },
  })

const componentOf = (spec: { component?: object }): object => spec.component ?? {}

const metaOf = (module: string, version: string) =>
  moduleReleaseMeta({ metadata: { name: module }, spec: { channels: [{ channel: 'regular', version }] } })

const templates = [templateOf('telemetry', '1.2.3'), templateOf('keda', '2.0.0')]
const metas = [metaOf('telemetry', '1.2.3'), metaOf('keda', '2.0.0')]
const worldOf = (...modules: readonly ModuleEntry[]): World =>
  kymaWorld({ kyma: listing(...modules), templates, metas })
const installed = (...modules: readonly ModuleEntry[]): World => settledWorld(worldOf(...modules))

/** The same world once its owner wants other modules. */
const wanting = (world: World, ...modules: readonly ModuleEntry[]): World => {
  const kyma = { ...world.kyma, spec: { ...world.kyma.spec, modules: [...modules] } }
  return { ...world, kyma, wanted: kyma.spec }
}

const stepText = (step: Step): string => {
  const { metadata } = subjectOf(step)
  return `${step.do} ${metadata.name}`
}
const written = (world: World): string[] => passOf(world).steps.map(stepText)
const entries = (world: World): NonNullable<NonNullable<Kyma['status']>['modules']> =>
  (passOf(world).status as { modules: never }).modules
const states = (world: World): string[] => entries(world).map(({ name, state }) => `${name} ${state}`)

t.test('KY-50 the Manifest of a module is as the golden file has it', async t => {
  const images = ['registry.example/a:1', 'registry.example/b:2']
  const template = moduleTemplate({
    metadata: { labels: { 'operator.kyma-project.io/controller-name': 'mine' } },
    spec: {
      data: { apiVersion: 'operator.kyma-project.io/v1alpha1', kind: 'Telemetry', metadata: {}, spec: { size: 3 } },
      manager: { group: 'apps', version: 'v1', kind: 'Deployment', name: 'telemetry', namespace: 'kyma-system' },
      descriptor: {
        component: {
          name: 'kyma-project.io/module/telemetry',
          version: '1.2.3',
          repositoryContexts: [{ type: 'OCIRegistry', baseUrl: 'elsewhere.example', componentNameMapping: 'urlPath' }],
          resources: [
            {
              name: 'raw-manifest',
              access: { type: 'localBlob', localReference: digest('a'), mediaType: 'application/x-tar' },
            },
            { name: 'config', access: { type: 'localOciBlob/v1', localReference: digest('b') } },
            { name: 'default-cr', access: { type: 'localBlob', localReference: digest('c') } },
            ...images.map(imageReference => ({ name: 'image', type: 'ociArtifact', access: { imageReference } })),
          ],
        },
      },
    },
  })
  const kyma = ownKyma({ spec: { modules: [{ ...telemetry, customResourcePolicy: 'Ignore' }], remote: null as never } })
  const golden = JSON.parse(readFileSync(join(import.meta.dirname, 'golden/manifest.json'), 'utf8'))
  const [step] = passOf(kymaWorld({ kyma, templates: [template], metas: [metaOf('telemetry', '1.2.3')] })).steps
  t.strictSame(step, { do: 'create', object: golden })
})

t.test('KY-50 names may be mapped to digests, and without a repository there is no layer', async t => {
  const access = { type: 'localBlob/v1', localReference: digest('a'), mediaType: 'application/yaml' }
  const resources = [{ name: 'raw-manifest', access }]
  const installOf = (component: object): unknown => {
    const world = kymaWorld({
      kyma: listing(telemetry),
      templates: [templateOf('telemetry', '1.2.3', { component })],
      metas,
    })
    return passOf(world).steps.flatMap(step => (step.do === 'create' ? (step.object as Manifest).spec.install : []))[0]
  }
  const mapped = [{ type: 'OCIRegistry', componentNameMapping: 'sha256-digest' }]
  t.strictSame(installOf({ resources, repositoryContexts: mapped }), {
    name: 'raw-manifest',
    source: {
      repo: 'registry.example/modules',
      name: 'f13e9ca8c52996641f6eefb3fe5f0ecdad36ff7f488364d7ff48da8c3598f77d',
      ref: digest('a'),
      type: 'oci-ref',
    },
  })
  t.strictSame(installOf({ resources }), { name: '', source: {} })
})

const another = (change: object): World => {
  const manifest = installed(telemetry).manifests[0] as Manifest
  return { ...worldOf(telemetry), manifests: [{ ...manifest, metadata: { ...manifest.metadata, ...change } }] }
}
const ofKyma = (name: string, uid: string) => ({
  ownerReferences: [{ apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Kyma', name, uid, controller: true }],
})

t.test(
  'KY-90 a mandatory Manifest whose label somebody took off is not taken for that of a module that was taken out',
  async t => {
    const [manifest] = installed(telemetry).manifests as [Manifest]
    const { 'operator.kyma-project.io/channel': _, ...labels } = manifest.metadata.labels ?? {}
    const bare = { ...manifest, metadata: { ...manifest.metadata, labels } }
    matches(t, passOf({ ...worldOf(), manifests: [bare] }), { steps: [], status: { modules: [] } })
    matches(t, passOf({ ...worldOf(), manifests: [manifest] }).steps, [{ do: 'delete' }], 'this one was taken out')
    matches(t, passOf({ ...worldOf(telemetry), manifests: [bare] }).steps, [{ do: 'patch' }], 'this one is listed')
  },
)

t.test('KY-52 a Manifest of that name that belongs to another Kyma is an Error, and stays as it is', async t => {
  const world = another(ofKyma('other', 'other-uid'))
  matches(t, passOf(world), {
    steps: [],
    status: {
      modules: [
        {
          state: 'Error',
          message: `Manifest kcp-system/${telemetryManifest} belongs to module telemetry of Kyma other, not to module telemetry of Kyma default-id`,
        },
      ],
    },
  })
})

t.test('KY-299 a Manifest of a former Kyma of this name, as after a restore of a backup, is taken over', async t => {
  const world = another(ofKyma('default-id', 'former-uid'))
  t.strictSame(written(world), [`patch ${telemetryManifest}`])
  matches(t, nextWorld(world).manifests, [{ metadata: ofKyma('default-id', 'kyma-uid') }])
  t.equal(nextWorld(world).manifests[0]?.metadata.ownerReferences?.length, 1)
  t.strictSame(written(nextWorld(world)), [])
  t.strictSame(written(wanting(world)), [`delete ${telemetryManifest}`], 'it goes with its module')
})

t.test(
  'KY-52 of two modules of one component whose names are cut to the same the one keeps the Manifest that has it',
  async t => {
    const long = 'k'.repeat(55)
    const kyma = ownKyma({ metadata: { name: long }, spec: { modules: [telemetry, keda] } })
    const sameComponent = templates.map(template => ({
      ...template,
      spec: { ...template.spec, descriptor: { component: { name: 'example.org/plain', version: '1.2.3' } } },
    }))
    const world = kymaWorld({ kyma, templates: sameComponent, metas })
    t.strictSame(written(world), [`create ${long}-plain`], 'the first one is installed')
    const text = (holder: string, other: string) =>
      `Manifest kcp-system/${long}-plain belongs to module ${holder} of Kyma ${long}, not to module ${other} of Kyma ${long}`
    matches(t, entries(world), [{ state: 'Processing' }, { state: 'Error', message: text('telemetry', 'keda') }])
    const after = wanting(nextWorld(world), keda, telemetry)
    t.strictSame(written(after), [])
    matches(t, entries(after), [{ state: 'Error', message: text('telemetry', 'keda') }, { state: 'Processing' }])
  },
)

t.test('KY-310 two modules whose names are cut to the same get two Manifests, and keep them', async t => {
  const long = 'k'.repeat(61)
  const kyma = ownKyma({ metadata: { name: long }, spec: { modules: [telemetry, keda] } })
  const world = kymaWorld({ kyma, templates, metas })
  const apart = `${'k'.repeat(51)}-1346761488`
  t.strictSame(written(world), [`create ${long}`, `create ${apart}`])
  const after = settledWorld(world)
  matches(t, entries(after), [{ manifest: { metadata: { name: long } } }, { manifest: { metadata: { name: apart } } }])
  t.strictSame(written(wanting(after, keda, telemetry)), [], 'in another order')
  t.strictSame(written(wanting(after, keda)), [`delete ${long}`])
  t.strictSame(
    written(wanting({ ...after, manifests: after.manifests.filter(one => one.metadata.name === apart) }, keda)),
    [],
    'the first name is free',
  )
})

t.test('KY-310 a Manifest keeps a cut name though somebody edits its label', async t => {
  const long = 'k'.repeat(61)
  const kyma = ownKyma({ metadata: { name: long }, spec: { modules: [telemetry] } })
  const after = settledWorld(kymaWorld({ kyma, templates, metas }))
  const edited = changedManifest(after, long, { metadata: { labels: { 'operator.kyma-project.io/module-name': 'x' } } })
  t.strictSame(written(edited), [`patch ${long}`])
})

t.test('KY-310 Kymas whose names agree in 62 characters have Manifests of their own', async t => {
  const [one, other] = ['1', '2'].map(last => `${'k'.repeat(62)}${last}`)
  const worldOf = (name = '', manifests: World['manifests'] = []) =>
    kymaWorld({ kyma: ownKyma({ metadata: { name }, spec: { modules: [telemetry] } }), templates, metas, manifests })
  const { manifests } = settledWorld(worldOf(one))
  t.strictSame(written(worldOf(other, manifests)), [`create ${'k'.repeat(51)}-1058675443`])
})

t.test(
  'KY-277 the Manifest of a mandatory module is in the way and is named; without its label it is taken',
  async t => {
    const bearing = (value: string | undefined): World => {
      const { manifests, ...world } = installed(telemetry)
      const [manifest] = manifests as [Manifest]
      const { 'operator.kyma-project.io/channel': _, ...others } = manifest.metadata.labels ?? {}
      const labels = { ...others, ...(value && { 'operator.kyma-project.io/mandatory-module': value }) }
      const metadata = { ...manifest.metadata, labels }
      return { ...world, kyma: listing(telemetry), manifests: [{ ...manifest, metadata }] }
    }
    const where = `Manifest kcp-system/${telemetryManifest} cannot be used for the module`
    const message = `${where}: its label operator.kyma-project.io/mandatory-module is "true"`
    matches(t, passOf(bearing('true')), {
      steps: [],
      status: { state: 'Error', modules: [{ state: 'Error', message }] },
    })
    t.strictSame(written(bearing(undefined)), [`patch ${telemetryManifest}`])
  },
)

t.test('KY-278 whatever a descriptor or a runtime says, the status of a Kyma has room for it', async t => {
  const resources = [{ name: 'raw-manifest', access: { type: 'localBlob', localReference: 'x'.repeat(90_000) } }]
  const component = { resources, repositoryContexts: [{ type: 'OCIRegistry' }] }
  const broken = { ...worldOf(telemetry), templates: [] }
  const template = templateOf('telemetry', '1.2.3', { component })
  const [entry] = entries({ ...broken, catalogue: { templates: [template], metas } })
  matches(t, entry, { state: 'Error', message: /^resource raw-manifest has the reference "x+…$/ })
  t.equal(entry?.message?.length, 1_025)

  const names = Array.from({ length: 500 }, (_, n) => `${n}`.padEnd(253, 'x'))
  const away = { is: 'away', fault: '\u0001'.repeat(4_096) } as const
  const status = passOf({ ...worldOf(...names.map(name => ({ name }))), runtime: away }).status
  t.ok(JSON.stringify(status).length < 1_200_000, `${JSON.stringify(status).length} bytes`)
})

t.test('KY-278 names that take more than a status has room for are a fault of the copy', async t => {
  const copyOf = (name: (n: number) => string) =>
    ({ spec: { channel: 'regular', modules: Array.from({ length: 500 }, (_, n) => ({ name: name(n) })) } }) as never
  t.equal(copyFault(copyOf(n => `${n}`.padEnd(253, 'x'))), undefined)
  t.equal(
    copyFault(copyOf(n => `${n}`.padEnd(253, '\u0001'))),
    'the names in spec.modules take 753551 bytes, expected at most 131072',
  )
})

/** The value with another one in each of its places, one at a time. */
const alterations = (value: unknown, other: unknown): unknown[] => {
  if (typeof value !== 'object' || value === null) return [other]
  const inside = Object.entries(value).flatMap(([field, part]) =>
    alterations(part, other).map(changed => Object.assign(structuredClone(value), { [field]: changed })),
  )
  return [other, ...inside]
}

t.test('RE-49 an object with a field toString in a descriptor is a fault of its module alone', async t => {
  const [own, kedas] = templates as [ModuleTemplate, ModuleTemplate]
  const raw = { name: 'raw-manifest', access: { type: 'localBlob', localReference: digest('a') } }
  const described = (...resources: readonly object[]) => ({
    component: {
      name: 'kyma-project.io/module/telemetry',
      version: '1.2.3',
      repositoryContexts: [{ type: 'OCIRegistry', componentNameMapping: 'urlPath' }],
      resources,
    },
  })
  const descriptor = described({ ...raw, digest: { hashAlgorithm: 'SHA-256', value: 'x' } })
  const normalisationAlgorithm = 'jsonNormalisation/v3'
  const value = sha256Hex(normalisedText(descriptor, normalisationAlgorithm) ?? '')
  const signed = {
    name: 'release',
    digest: { hashAlgorithm: 'SHA-256', normalisationAlgorithm, value },
    signature: { algorithm: 'RSASSA-PSS', mediaType: 'application/vnd.ocm.signature.rsa', value: 'aa' },
  }
  const all = [{ ...descriptor, signatures: [signed] }, described(raw)]
  for (const settings of [{}, { signature: 'release' }])
    for (const odd of all.flatMap(one => alterations(one, { toString: 5 }))) {
      const template = { ...own, spec: { ...own.spec, descriptor: odd as JsonMap } }
      const world = kymaWorld({ kyma: listing(telemetry), templates: [template, kedas], metas, settings })
      const [entry] = entries(world)
      t.ok(['Processing', 'Error'].includes(entry?.state ?? ''), JSON.stringify(odd))
      const read = moduleDescriptor(odd as JsonMap)
      if ('read' in read) signedLayers(read.read)
    }
})

t.test('FN-103 what lies in many levels in a ModuleTemplate is a fault of its module alone', async t => {
  const [own, kedas] = templates as [ModuleTemplate, ModuleTemplate]
  const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)
  const { component } = own.spec.descriptor as { component: object }
  const withDescriptor = (levels: number) => ({ descriptor: { component: { ...component, more: deep(levels) } } })
  const data = (levels: number) => ({
    data: { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'a' }, spec: deep(levels) },
  })
  const passWith = (spec: object) => {
    const template = { ...own, spec: { ...own.spec, ...spec } } as ModuleTemplate
    return passOf(kymaWorld({ kyma: listing(telemetry, keda), templates: [template, kedas], metas }))
  }
  const kedaAlone = [
    { do: 'create', object: { metadata: { labels: { 'operator.kyma-project.io/module-name': 'keda' } } } },
  ]
  for (const [spec, message] of [
    [withDescriptor(99), 'component descriptor has more than 100 levels or 20000 values'],
    [withDescriptor(9_000), 'component descriptor has more than 100 levels or 20000 values'],
    [data(100), 'ModuleTemplate telemetry-1.2.3: spec.data has more than 100 levels or 20000 values'],
    [data(9_000), 'ModuleTemplate telemetry-1.2.3: spec.data has more than 100 levels or 20000 values'],
  ] as const)
    matches(t, passWith(spec), {
      steps: kedaAlone,
      status: { modules: [{ state: 'Error', message }, { name: 'keda' }] },
    })
  t.equal(passWith({ ...withDescriptor(98), ...data(99) }).steps.length, 2)
})

t.test('KY-188 a Manifest of another is in the way and is named; one without a name is ours again', async t => {
  const labelled = (value: string | undefined): World => {
    const { manifests, ...world } = installed(telemetry)
    const [manifest] = manifests as [Manifest]
    const { 'operator.kyma-project.io/managed-by': _, ...labels } = manifest.metadata.labels ?? {}
    const own = value === undefined ? labels : { ...labels, 'operator.kyma-project.io/managed-by': value }
    return { ...world, manifests: [{ ...manifest, metadata: { ...manifest.metadata, labels: own } }] }
  }
  matches(t, passOf(labelled('somebody')), { steps: [], status: { modules: [{ state: 'Error' }] } })
  t.equal(
    entries(labelled('somebody'))[0]?.message,
    `Manifest kcp-system/${telemetryManifest} cannot be used for the module: its label operator.kyma-project.io/managed-by is "somebody"`,
  )
  matches(t, passOf(labelled(undefined)).steps, [
    { do: 'patch', merge: { metadata: { labels: { 'operator.kyma-project.io/managed-by': 'lifecycle-manager' } } } },
  ])
  t.strictSame(written(wanting(labelled('somebody'))), [], 'it is not deleted with the module either')
})

t.test('KY-268 a version without a default CR leaves the kind of the former one to be waited for', async t => {
  const data = { apiVersion: 'example.com/v1', kind: 'Telemetry', metadata: { name: 'default' } }
  const [before, after] = [templateOf('telemetry', '1.2.3', { data }), templateOf('telemetry', '1.2.4')]
  const world = settledWorld(kymaWorld({ kyma: listing(telemetry), templates: [before], metas }))
  const updated = (change: object) => {
    const stored = changedManifest(world, telemetryManifest, change)
    return nextWorld({ ...stored, catalogue: { templates: [after], metas: [metaOf('telemetry', '1.2.4')] } })
  }
  const specOf = ({ manifests }: World) => manifests.find(({ metadata }) => metadata.name === telemetryManifest)?.spec
  const created = { status: { conditions: [{ type: 'ModuleCR', status: 'True' }] } }
  for (const [what, change] of Object.entries({
    'it was created': created,
    'users create theirs': { spec: { customResourcePolicy: 'Ignore' } },
  })) {
    const next = updated(change)
    const spec = { version: '1.2.4', customResourcePolicy: 'Ignore', resource: { kind: 'Telemetry' } }
    matches(t, specOf(next), spec, what)
    t.strictSame(written(next), [], 'it stays so')
    t.equal(entries(next)[0]?.resource, undefined)
    const again = { ...next, catalogue: { templates: [before], metas } }
    matches(t, specOf(nextWorld({ ...again, kyma: { ...again.kyma, status: {} } as Kyma })), {
      customResourcePolicy: 'CreateAndDelete',
    })
  }
  t.strictSame(specOf(updated({}))?.resource, undefined, 'there never was one')
})

t.test('KY-53 KY-192 what a ModuleTemplate changes without a new version follows at once', async t => {
  const access = (digit: string) => ({ type: 'localBlob', localReference: digest(digit) })
  const component = (digit: string, image: string) => ({
    repositoryContexts: [{ type: 'OCIRegistry' }],
    resources: [
      { name: 'raw-manifest', access: access(digit) },
      { name: 'image', type: 'ociArtifact', access: { imageReference: image } },
    ],
  })
  const manager = (name: string) => ({ group: 'apps', version: 'v1', kind: 'Deployment', name })
  const data = (size: number) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { size } })
  const version = (digit: string, size: number, requiresDowntime: boolean) =>
    templateOf('telemetry', '1.2.3', {
      component: component(digit, `image:${digit}`),
      manager: manager(`m${digit}`),
      data: data(size),
      requiresDowntime,
    })
  const before = settledWorld(kymaWorld({ kyma: listing(telemetry), templates: [version('a', 1, false)], metas }))
  const after = { ...before, catalogue: { templates: [version('b', 2, true)], metas } }
  matches(t, passOf(after).steps, [
    {
      do: 'patch',
      merge: {
        spec: {
          install: { source: { ref: digest('b') } },
          localizedImages: ['image:b'],
          manager: { name: 'mb' },
          resource: { data: { size: 2 } },
        },
      },
    },
  ])
  t.strictSame(passOf(nextWorld(after)).steps, [])
})

t.test('KY-54 each own field of a Manifest comes back, and what others added stays', async t => {
  const world = installed(telemetry)
  const kyma = 'operator.kyma-project.io'
  const edits: Parameters<typeof changedManifest>[2][] = [
    { metadata: { labels: { [`${kyma}/kyma-name`]: 'other' } } },
    { metadata: { labels: { [`${kyma}/module-name`]: 'keda' } } },
    { metadata: { labels: { [`${kyma}/channel`]: null } } },
    { metadata: { annotations: { [`${kyma}/fqdn`]: null } } },
    { metadata: { annotations: { [`${kyma}/is-unmanaged`]: null } } },
    { metadata: { ownerReferences: null } },
    { spec: { version: '9.9.9' } },
    { spec: { customResourcePolicy: 'Ignore' } },
    { spec: { localizedImages: ['mine:1'] } },
    { spec: { install: { source: { repo: 'elsewhere' } } } },
    { spec: { manager: { group: 'apps', version: 'v1', kind: 'Deployment', name: 'x' } } },
  ]
  for (const edit of edits) {
    const edited = changedManifest(world, telemetryManifest, edit)
    t.strictSame(written(edited), [`patch ${telemetryManifest}`], JSON.stringify(edit))
    t.strictSame(nextWorld(edited).manifests[0]?.spec, world.manifests[0]?.spec)
    t.strictSame(nextWorld(edited).manifests[0]?.metadata.labels, world.manifests[0]?.metadata.labels)
    t.strictSame(nextWorld(edited).manifests[0]?.metadata.annotations, world.manifests[0]?.metadata.annotations)
  }
  const foreign = { metadata: { labels: { mine: 'x' }, annotations: { mine: 'y' } } }
  const added = changedManifest(world, telemetryManifest, foreign)
  t.strictSame(written(added), [])
  matches(t, nextWorld(changedManifest(added, telemetryManifest, { spec: { version: '9.9.9' } })).manifests, [foreign])
})

t.test('KY-56 a module that is taken out keeps its entry until its Manifest is gone', async t => {
  const world = changedManifest(installed(telemetry, keda), telemetryManifest, {
    metadata: { finalizers: ['declarative.kyma-project.io/finalizer'] },
    status: { state: 'Ready' },
  })
  const without = wanting(world, keda)
  t.strictSame(written(without), [`delete ${telemetryManifest}`])
  t.strictSame(states(without), ['keda Processing', 'telemetry Deleting'])
  matches(t, passOf(without).status, { state: 'Processing', modules: [{ name: 'keda' }, { version: '1.2.3' }] })
  const going = changedManifest(without, telemetryManifest, { metadata: { deletionTimestamp: noon.toISOString() } })
  t.strictSame(written(going), [])
  t.strictSame(states(going), ['keda Processing', 'telemetry Deleting'])
  const gone = { ...going, manifests: going.manifests.filter(({ metadata }) => metadata.name !== telemetryManifest) }
  t.strictSame(states(gone), ['keda Processing'])
})

t.test('KY-57 a removal that is held up follows new versions, and a module that is back begins anew', async t => {
  const held = { metadata: { finalizers: ['x/y'], deletionTimestamp: noon.toISOString() } }
  const going = changedManifest(wanting(installed(telemetry)), telemetryManifest, held)
  const newer = {
    ...going,
    catalogue: { templates: [templateOf('telemetry', '1.3.0')], metas: [metaOf('telemetry', '1.3.0')] },
  }
  matches(t, passOf(newer).steps, [{ do: 'patch', merge: { spec: { version: '1.3.0' } } }])
  const back = wanting(nextWorld(newer), telemetry)
  t.strictSame(written(back), [])
  t.strictSame(states(back), ['telemetry Deleting'])
  t.strictSame(written({ ...back, manifests: [] }), [`create ${telemetryManifest}`])
})

t.test('KY-298 custom resources that are the users’ stay theirs while the Manifest goes', async t => {
  const data = { apiVersion: 'example.com/v1', kind: 'Telemetry', metadata: { name: 'default' } }
  const versions = (version: string) => ({
    templates: [templateOf('telemetry', version, { data })],
    metas: [metaOf('telemetry', version)],
  })
  const kyma = listing({ ...telemetry, customResourcePolicy: 'Ignore' })
  const held = { metadata: { finalizers: ['x/y'], deletionTimestamp: noon.toISOString() } }
  const going = changedManifest(settledWorld(kymaWorld({ kyma, ...versions('1.2.3') })), telemetryManifest, held)
  const out = wanting(going)
  t.strictSame(written(out), [], 'its module was taken out')
  matches(t, nextWorld({ ...out, catalogue: versions('1.3.0') }).manifests, [
    { spec: { version: '1.3.0', customResourcePolicy: 'Ignore', resource: { kind: 'Telemetry' } } },
  ])
  const leaving = mergePatched(out.kyma, { ...held, status: { state: 'Deleting' } }) as Kyma
  matches(t, decide({ ...out, kyma: leaving }, noon).phase, { deletion: { waitsFor: /waiting for modules/ } })
  const back = wanting(going, telemetry)
  t.strictSame(written(back), [], 'it is back in the list, with the other policy')
  matches(t, passOf({ ...back, manifests: [] }).steps, [
    { object: { spec: { customResourcePolicy: 'CreateAndDelete' } } },
  ])
})

const unmanaged = { ...telemetry, managed: false }
const marked = { metadata: { annotations: { 'operator.kyma-project.io/is-unmanaged': 'true' } } }

t.test('KY-58 KY-59 a module that is not managed any more is left alone, whatever becomes of it', async t => {
  const left = wanting(installed(telemetry), unmanaged)
  matches(t, passOf(left).steps, [{ do: 'patch', merge: marked }])
  const entry = { name: 'telemetry', state: 'Unmanaged', channel: 'regular', version: '1.2.3', maintenance: false }
  const component = { fqdn: 'kyma-project.io/module/telemetry', ocmComponentName: 'kyma-project.io/module/telemetry' }
  t.strictSame(entries(left), [{ ...entry, ...component }])
  const after = nextWorld(left)
  t.strictSame(written(after), [])
  const gone = { ...after, manifests: [] }
  matches(t, passOf(gone), { steps: [], status: { state: 'Ready', modules: [{ ...entry, ...component }] } })
  const newer = { templates: [templateOf('telemetry', '1.3.0')], metas: [metaOf('telemetry', '1.3.0')] }
  for (const world of [after, gone])
    t.strictSame(written({ ...world, catalogue: newer }), [], 'no update of it any more')
  matches(t, passOf(wanting(gone)), { steps: [], status: { state: 'Ready', modules: [] } })
})

t.test('KY-190 the mark on the Manifest decides whether objects go when a module is taken out', async t => {
  const unsaid = wanting(installed(telemetry))
  t.strictSame(written(unsaid), [`delete ${telemetryManifest}`], 'never marked: all objects go')
  const said = wanting(changedManifest(installed(telemetry), telemetryManifest, marked))
  matches(t, passOf(said).steps, [{ do: 'delete', target: marked }], 'marked: the Manifest goes with its mark')
})

t.test('KY-60 managed again: the Manifest is as it was, or follows the one that goes', async t => {
  const left = nextWorld(wanting(installed(telemetry), unmanaged))
  const back = wanting(left, telemetry)
  const unmarked = { metadata: { annotations: { 'operator.kyma-project.io/is-unmanaged': 'false' } } }
  matches(t, passOf(back).steps, [{ do: 'patch', merge: unmarked }])
  const going = { metadata: { finalizers: ['x/y'], deletionTimestamp: noon.toISOString() } }
  const late = changedManifest(back, telemetryManifest, going)
  t.strictSame(written(late), [], 'one that goes must not begin to take its objects with it')
  t.strictSame(written({ ...late, manifests: [] }), [`create ${telemetryManifest}`])
})

t.test('KY-63 entries are in the order of the spec, and each says what its Manifest says', async t => {
  const world = installed(keda, telemetry)
  const operation = 'telemetry cannot be pulled'
  const broken = changedManifest(world, telemetryManifest, {
    status: { state: 'Error', lastOperation: { operation, lastUpdateTime: noon.toISOString() } },
  })
  t.strictSame(states(broken), ['keda Processing', 'telemetry Error'])
  matches(t, passOf(broken).status, {
    state: 'Error',
    lastOperation: { operation },
    modules: [{ name: 'keda' }, { name: 'telemetry', message: operation }],
  })
  t.strictSame(states(wanting(broken, { name: 'serverless' }, telemetry)), ['serverless Warning', 'telemetry Error'])
})

t.test('KY-197 entries name the live objects, in the generation that a pass leaves', async t => {
  const world = installed(telemetry)
  const kind = { apiVersion: 'operator.kyma-project.io/v1beta2' }
  const template = {
    ...kind,
    kind: 'ModuleTemplate',
    metadata: { name: 'telemetry-1.2.3', namespace: 'kcp-system', generation: 1 },
  }
  const manifest = {
    ...kind,
    kind: 'Manifest',
    metadata: { name: telemetryManifest, namespace: 'kcp-system', generation: 1 },
  }
  matches(t, entries(world), [{ template, manifest }])
  const next = templateOf('telemetry', '1.2.3', {
    manager: { group: 'apps', version: 'v1', kind: 'Deployment', name: 'x' },
  })
  const moved = { ...next, metadata: { ...next.metadata, generation: 7 } }
  const [entry] = entries({ ...world, catalogue: { templates: [moved], metas } })
  t.strictSame(entry?.template, { ...template, metadata: { ...template.metadata, generation: 7 } })
  t.strictSame(entry?.manifest, { ...manifest, metadata: { ...manifest.metadata, generation: 2 } })
})

t.test('KY-65 an entry names the default object, unless nobody is to make it', async t => {
  const data = { apiVersion: 'example.org/v1', kind: 'Telemetry', metadata: { name: 'default' } }
  const resourceOf = (entry: ModuleEntry, annotations: Record<string, string> = {}): unknown => {
    const template = templateOf('telemetry', '1.2.3', { data })
    const annotated = { ...template, metadata: { ...template.metadata, annotations } }
    return entries(kymaWorld({ kyma: listing(entry), templates: [annotated], metas }))[0]?.resource
  }
  const resource = { ...data, metadata: { name: 'default', namespace: 'kyma-system' } }
  t.strictSame(resourceOf(telemetry), resource)
  t.strictSame(resourceOf({ ...telemetry, customResourcePolicy: 'Ignore' }), undefined)
  const clusterScoped = { 'operator.kyma-project.io/is-cluster-scoped': 'true' }
  t.strictSame(resourceOf(telemetry, clusterScoped), { ...resource, metadata: { name: 'default', namespace: '' } })
})

t.test('KY-55 KY-64 a pass in which nothing changed writes nothing and leaves all times', async t => {
  const world = installed(telemetry, keda)
  const later = new Date(noon.getTime() + 3_600_000)
  const { steps, status } = passOf(world, { now: later })
  t.strictSame(steps, [])
  t.strictSame(status, world.kyma.status)
})

t.test('a write that fails is the Error of its module, and the others are written', async t => {
  const failing = (step: Step) => (stepText(step).includes('telemetry') ? 'the API server says no' : undefined)
  const { status, next } = passOf(worldOf(telemetry, keda), { failing })
  matches(t, status, {
    state: 'Error',
    modules: [{ state: 'Error', message: 'the API server says no' }, { state: 'Processing' }],
  })
  matches(t, next, { is: 'settled' }, 'what comes next is left to the failure itself')
})

t.test('KY-56 a module that is taken out is going, whatever became of its ModuleTemplate', async t => {
  const held = { metadata: { finalizers: ['x/y'], deletionTimestamp: noon.toISOString() } }
  const going = changedManifest(wanting(installed(telemetry)), telemetryManifest, held)
  const [entry] = entries({ ...going, catalogue: { templates: [], metas: [] } })
  matches(t, entry, { state: 'Deleting', version: '1.2.3', message: undefined })
})

t.test('KY-63 a module that is well says nothing', async t => {
  const lastOperation = { operation: 'resources are ready', lastUpdateTime: noon.toISOString() }
  for (const state of ['Ready', 'Processing']) {
    const world = changedManifest(installed(telemetry), telemetryManifest, { status: { state, lastOperation } })
    matches(t, entries(world), [{ state, message: undefined }])
  }
})

t.test('KY-50 what the default object says of its name and namespace counts', async t => {
  const data = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine', namespace: 'here' } }
  const world = kymaWorld({ kyma: listing(telemetry), templates: [templateOf('telemetry', '1.2.3', { data })], metas })
  matches(t, passOf(world).steps, [{ object: { spec: { resource: data } } }])
  const remote = { enabled: false, namespace: 'rt-7' }
  const open = { ...data, metadata: { name: '' } }
  const kyma = ownKyma({ spec: { modules: [telemetry], remote } })
  const filled = kymaWorld({ kyma, templates: [templateOf('telemetry', '1.2.3', { data: open })], metas })
  matches(t, passOf(filled).steps, [
    { object: { spec: { resource: { metadata: { name: telemetryManifest, namespace: 'rt-7' } } } } },
  ])
})

t.test('KY-50 a former access type names its layer by its digest', async t => {
  const component = {
    repositoryContexts: [{ type: 'OCIRegistry' }],
    resources: [{ name: 'raw-manifest', access: { type: 'localOciBlob', digest: digest('d') } }],
  }
  const world = kymaWorld({
    kyma: listing(telemetry),
    templates: [templateOf('telemetry', '1.2.3', { component })],
    metas,
  })
  matches(t, passOf(world).steps, [{ object: { spec: { install: { source: { ref: digest('d') } } } } }])
})

t.test(
  'KY-256 a module whose component has another name keeps its Manifest until the new one lists its objects',
  async t => {
    const component = { name: 'kyma-project.io/module/telemetry-manager' }
    const renamed = {
      ...installed(telemetry),
      catalogue: {
        templates: [templateOf('telemetry', '1.2.4', { component })],
        metas: [metaOf('telemetry', '1.2.4')],
      },
    }
    const created = written(renamed)
    t.strictSame(created, ['create default-id-telemetry-manager-1226385641'])
    const both = nextWorld(renamed)
    t.strictSame(written(both), [], 'it has not looked yet, so the former one would take all objects along')
    const [, name = ''] = created[0]?.split(' ') ?? []
    const synced = [{ group: '', version: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'x' }]
    const listing = changedManifest(both, name, { status: { state: 'Processing', synced } })
    t.strictSame(written(listing), [`delete ${telemetryManifest}`])
    t.strictSame(written(wanting(both)).toSorted(), [`delete ${telemetryManifest}`, `delete ${name}`], 'taken out')
    const steps = passOf(wanting(both, { ...telemetry, managed: false })).steps
    matches(t, steps, [
      { do: 'patch', target: { kind: 'Manifest' } },
      { do: 'patch', target: { kind: 'Manifest' } },
    ])
  },
)
