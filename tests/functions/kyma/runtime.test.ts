// What kyma keeps in order in a runtime: definitions, namespace, copy, Secret for images, catalogue. Each part alone, from a World.
import t from 'tap'
import { decide } from '../../../functions/kyma/decide.ts'
import { copyStatus, runtimePullSecret } from '../../../functions/kyma/desired/runtime-objects.ts'
import { deletionPlan } from '../../../functions/kyma/parts/deletion.ts'
import { moduleCatalogue } from '../../../functions/kyma/parts/module-catalogue.ts'
import { modules } from '../../../functions/kyma/parts/modules.ts'
import type { KymaPart } from '../../../functions/kyma/parts/part.ts'
import {
  copyStatusSteps,
  kymaCopyPart,
  pullSecret,
  runtimeCrds,
  runtimeNamespacePart,
} from '../../../functions/kyma/parts/runtime-objects.ts'
import { report } from '../../../functions/kyma/report.ts'
import { runtimeCatalogue } from '../../../functions/kyma/rules/module-visibility.ts'
import type { KymaRuntime } from '../../../functions/kyma/rules/runtime.ts'
import type { World } from '../../../functions/kyma/world.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { kyma, moduleManifest, moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import {
  controlPlaneCrds,
  done,
  establishedCrds,
  type Given,
  refused,
  runtimeWorld,
  stored,
} from '../../make/kyma/kyma-runtime.ts'
import { kymaWorld, ownKyma } from '../../make/kyma/kyma-world.ts'

const now = new Date('2026-01-01T00:00:00Z')
const { labels, annotations, managedBy, fieldManagers } = kymaNames

const stepsOf = (part: KymaPart, given: Given = {}): readonly Step[] => part.steps(runtimeWorld(given), now)

const written = (steps: readonly Step[]): string[] =>
  steps.map(step => {
    const { kind, metadata } = subjectOf(step)
    return `${step.do} ${kind} ${metadata.name}`
  })

const remote = (spec: Kyma['spec']['remote']) => stored(kyma({ spec: { remote: spec } }))

t.test('a runtime in order needs no write', async t => {
  for (const part of [runtimeNamespacePart, runtimeCrds, kymaCopyPart, pullSecret, moduleCatalogue])
    t.strictSame(stepsOf(part), [], part.name)
})

t.test('KY-01 the namespace of the runtime has its three labels, and those of others stay', async t => {
  const [step] = stepsOf(runtimeNamespacePart, { runtime: { namespace: undefined } })
  matches(t, step, {
    do: 'apply',
    on: 'runtimes/default-id',
    fieldManager: 'kyma-sync-context',
    force: true,
    object: {
      metadata: {
        name: 'kyma-system',
        labels: {
          'operator.kyma-project.io/managed-by': 'kyma',
          'istio-injection': 'enabled',
          'namespaces.warden.kyma-project.io/validate': 'enabled',
        },
      },
    },
  })
  const changed = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kyma-system', labels: { mine: 'yes' } } }
  t.strictSame(written(stepsOf(runtimeNamespacePart, { runtime: { namespace: stored(changed) } })), [
    'apply Namespace kyma-system',
  ])
})

t.test('KY-09 copy, catalogue and Secret lie in the namespace that the Kyma names', async t => {
  const given: Given = {
    kyma: remote({ namespace: 'rt-7' }),
    settings: { ...runtimeWorld().settings, pullSecret: 'images' },
    source: { crds: controlPlaneCrds, pullSecret: imageSecret({ a: 'MQ==' }) },
    catalogue: { templates: [moduleTemplate()], metas: [moduleReleaseMeta()] },
    runtime: { copy: undefined, catalogue: [] },
  }
  const objects = [kymaCopyPart, pullSecret, moduleCatalogue].flatMap(part =>
    stepsOf(part, given).flatMap(step => ('object' in step ? [step.object.metadata.namespace] : [])),
  )
  t.strictSame(objects, ['rt-7', 'rt-7', 'rt-7', 'rt-7'])
  matches(t, stepsOf(runtimeNamespacePart, { ...given, runtime: { namespace: undefined } }), [
    { object: { metadata: { name: 'rt-7' } } },
  ])
})

t.test(
  'KY-07 definitions that are missing or differ are applied with conversion None, the others are left',
  async t => {
    const [kymas, metas, templates] = establishedCrds()
    if (!kymas || !templates || !metas) throw new Error('there are three definitions')
    const edited = mergePatched(templates, { spec: { names: { shortNames: ['other'] } } }) as KubeObject
    const webhook = {
      ...controlPlaneCrds[0],
      spec: { ...mapOrEmpty(controlPlaneCrds[0]?.spec), conversion: { strategy: 'Webhook' } },
    }
    const steps = stepsOf(runtimeCrds, {
      source: { crds: [webhook as KubeObject, ...controlPlaneCrds.slice(1)] },
      runtime: { crds: [edited, metas] },
    })
    t.strictSame(written(steps).sort(), [
      'apply CustomResourceDefinition kymas.operator.kyma-project.io',
      'apply CustomResourceDefinition moduletemplates.operator.kyma-project.io',
    ])
    for (const step of steps)
      matches(t, step, {
        force: true,
        on: 'runtimes/default-id',
        fieldManager: fieldManagers.runtime,
        object: {
          metadata: { labels: { [labels.managedBy]: managedBy.runtime } },
          spec: { conversion: { strategy: 'None' } },
        },
      })
    const unlabelled = { ...metas, metadata: { ...metas.metadata, labels: {} } }
    t.equal(stepsOf(runtimeCrds, { runtime: { crds: [kymas, templates, unlabelled] } }).length, 1)
  },
)

t.test(
  'KY-300 a conversion webhook that somebody wrote into a definition of ours goes, then the rest follows',
  async t => {
    const [kymas, ...others] = establishedCrds()
    const conversion = {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://a' } },
    }
    const edited = mergePatched(kymas, { spec: { conversion, names: { shortNames: ['other'] } } }) as KubeObject
    const [step, ...more] = stepsOf(runtimeCrds, { runtime: { crds: [edited, ...others] } })
    if (step?.do !== 'patch') throw new Error('the webhook is to be taken out')
    t.strictSame(more, [])
    t.strictSame(step.target, edited)
    const after = mergePatched(edited, step.merge) as KubeObject
    t.strictSame(mapOrEmpty(after.spec).conversion, { strategy: 'None' })
    t.strictSame(written(stepsOf(runtimeCrds, { runtime: { crds: [after, ...others] } })), [
      `apply CustomResourceDefinition ${edited.metadata.name}`,
    ])
  },
)

t.test('KY-07 a definition that is refused makes CRDsSync False and the Kyma Error, by name', async t => {
  const world = runtimeWorld({ runtime: { crds: [] } })
  const steps = runtimeCrds.steps(world, now)
  t.equal(steps.length, 3, 'each is a step of its own')
  const [first, ...others] = steps
  if (!first) throw new Error('there are three steps')
  matches(t, runtimeCrds.reports(world, [refused(first, 'no'), ...done(others)], now), {
    condition: { type: 'CRDsSync', status: 'False', otherwise: 'Error' },
    trouble: {
      text: 'could not sync CRDs: CustomResourceDefinition kymas.operator.kyma-project.io: no',
      needs: 'outside',
    },
  })
})

t.test(
  'KY-02 a kind that is not served yet though it is established is waited for one second, in no Error',
  async t => {
    const given = { runtime: { copy: undefined, unserved: ['kymas.operator.kyma-project.io'] } }
    t.strictSame(stepsOf(kymaCopyPart, given), [], 'nobody could create the copy')
    matches(t, runtimeCrds.reports(runtimeWorld(given), [], now), {
      condition: { type: 'CRDsSync', status: 'Unknown', otherwise: 'Processing' },
      againSeconds: 1,
    })
    const early = runtimeCrds.reports(runtimeWorld({ runtime: { crds: controlPlaneCrds } }), [], now)
    t.equal(early.againSeconds, undefined, 'that it is established is an event')
    t.notOk(runtimeCrds.reports(runtimeWorld(), [], now).againSeconds)
  },
)

t.test('KY-07 definitions that the control plane lacks are named', async t => {
  const world = runtimeWorld({ source: { crds: controlPlaneCrds.slice(1) } })
  matches(t, runtimeCrds.reports(world, [], now).trouble, {
    text: 'could not sync CRDs: the control plane has no CustomResourceDefinition kymas.operator.kyma-project.io',
  })
})

t.test(
  'KY-198 CRDsSync is True once the runtime serves the kinds, and absent where modules are installed here',
  async t => {
    const unserved = establishedCrds().map(({ status: _, ...crd }) => crd as KubeObject)
    const conditionIn = (given: Given) => runtimeCrds.reports(runtimeWorld(given), [], now).condition
    matches(t, conditionIn({}), { status: 'True' })
    matches(t, conditionIn({ runtime: { crds: unserved } }), { status: 'Unknown', otherwise: 'Processing' })
    const off: World = { ...runtimeWorld(), runtime: { is: 'off' } }
    for (const part of [runtimeCrds, moduleCatalogue, pullSecret])
      t.equal(part.reports(off, [], now).condition, undefined)
  },
)

const kymas = 'kymas.operator.kyma-project.io'
const modulesOf = (given: Given) => modules.steps(runtimeWorld(given), now)

t.test('KY-221 while nobody can read the copy the modules stay as they are', async t => {
  const status = {
    state: 'Ready' as const,
    modules: [{ name: 'telemetry', state: 'Ready' as const }],
    conditions: [{ type: 'Modules', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '' }],
  }
  const ours = stored(kyma({ metadata: { uid: 'kyma-uid' }, status } as Partial<Kyma>))
  const manifest = moduleManifest({
    metadata: { labels: { [labels.kymaName]: 'default-id', [labels.moduleName]: 'telemetry', [labels.channel]: 'x' } },
  })
  const given: Given = { kyma: ours, manifests: [manifest] }
  const hidden = { copy: undefined, unserved: [kymas] }
  t.strictSame(modulesOf({ ...given, runtime: hidden }), [])
  t.strictSame(modules.reports(runtimeWorld({ ...given, runtime: hidden }), [], now), {
    modules: status.modules,
    condition: { type: 'Modules', status: 'Unknown', otherwise: 'Processing' },
  })
  const gone = { ...hidden, crds: establishedCrds().filter(({ metadata }) => metadata.name !== kymas) }
  t.strictSame(written(modulesOf({ ...given, runtime: gone })), [`delete Manifest ${manifest.metadata.name}`])
  t.equal(modulesOf({ ...given, runtime: { copy: undefined } }).length, 1, 'it is read, and there is none')
  const going = { ...ours, metadata: { ...ours.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
  t.equal(modulesOf({ ...given, kyma: going, runtime: hidden }).length, 1, 'a deletion goes on')
})

t.test('KY-221 KY-02 the modules of a Kyma that was never judged wait for nothing', async t => {
  const fresh = stored(kyma({ spec: { modules: [{ name: 'telemetry' }] } }))
  const catalogue = { templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }
  const runtime = { copy: undefined, unserved: [kymas] }
  t.strictSame(written(modulesOf({ kyma: fresh, wanted: fresh.spec, catalogue, runtime })), [
    'create Manifest default-id-telemetry-812080235',
  ])
})

t.test('KY-18 a runtime that is the control plane keeps its own definitions', async t => {
  t.strictSame(stepsOf(runtimeCrds, { runtime: { crds: controlPlaneCrds } }), [])
})

t.test('KY-16 of a runtime that is away conditions are Unknown, and nothing is written', async t => {
  const settings = { ...runtimeWorld().settings, pullSecret: 'images' }
  const world: World = { ...runtimeWorld({ settings }), runtime: { is: 'away', fault: 'it hangs' } }
  for (const part of [runtimeCrds, moduleCatalogue, pullSecret]) {
    t.equal(part.reports(world, [], now).condition?.status, 'Unknown', part.name)
    t.strictSame(part.steps(world, now), [])
  }
  for (const part of [runtimeNamespacePart, kymaCopyPart]) t.strictSame(part.steps(world, now), [])
})

t.test('KY-06 a copy that does not exist is created from the whole spec, once its kind is there', async t => {
  const of = stored(kyma({ spec: { modules: [{ name: 'telemetry' }], skipMaintenanceWindows: true } }))
  const steps = stepsOf(kymaCopyPart, { kyma: of, runtime: { copy: undefined } })
  matches(t, steps, [
    {
      do: 'create',
      on: 'runtimes/default-id',
      fieldManager: 'kyma-sync-context',
      object: { ...kymaKind, metadata: { name: 'default', namespace: 'kyma-system' } },
    },
  ])
  t.strictSame(steps[0]?.do === 'create' && steps[0].object.spec, of.spec)
  t.strictSame(stepsOf(kymaCopyPart, { kyma: of, runtime: { copy: undefined, crds: [] } }), [])
})

t.test('KY-350 copy and catalogue are created in the pass that creates their namespace, after it', async t => {
  const runtime = { namespace: undefined, copy: undefined, catalogue: [] }
  const given = { runtime, catalogue: { templates: [moduleTemplate()], metas: [moduleReleaseMeta()] } }
  const [namespace] = stepsOf(runtimeNamespacePart, given)
  for (const part of [kymaCopyPart, moduleCatalogue]) {
    const world = runtimeWorld(given)
    const steps = part.steps(world, now)
    t.ok(steps.length > 0 && steps.every(({ order = 0 }) => order > (namespace?.order ?? 0)), part.name)
    const failed = steps.map(step => refused(step, 'no namespace'))
    const { trouble, events = [] } = part.reports(world, failed, now)
    t.strictSame([trouble, events], [undefined, []], 'the part of the namespace reports why it is missing')
    const there = runtimeWorld({ ...given, runtime: { copy: undefined, catalogue: [] } })
    matches(t, part.reports(there, failed, now).trouble, { text: /no namespace/ })
  }
})

t.test('KY-260 the copy is created as one whose kind may have been defined just now', async t => {
  matches(t, stepsOf(kymaCopyPart, { runtime: { copy: undefined } }), [{ do: 'create', isOfNewKind: true }])
})

t.test('KY-06 with noModuleCopy a new copy has no modules', async t => {
  const of = stored(kyma({ spec: { modules: [{ name: 'telemetry' }], remote: { noModuleCopy: true } } }))
  const [step] = stepsOf(kymaCopyPart, { kyma: of, runtime: { copy: undefined } })
  t.strictSame(step?.do === 'create' && step.object.spec, { channel: 'regular', remote: { noModuleCopy: true } })
})

t.test('KY-06 a created copy is told, one that is refused is trouble', async t => {
  const world = runtimeWorld({ runtime: { copy: undefined } })
  const steps = kymaCopyPart.steps(world, now)
  t.strictSame(kymaCopyPart.reports(world, done(steps), now), {
    events: [{ type: 'Normal', reason: 'RemoteInstallation', message: 'Kyma was installed to SKR' }],
  })
  const [step] = steps
  matches(t, step && kymaCopyPart.reports(world, [refused(step, 'forbidden')], now), {
    events: [{ type: 'Warning', reason: 'RemoteInstallation', message: 'forbidden' }],
    trouble: { text: /^could not write the copy of the Kyma: .*forbidden/ },
  })
})

t.test('KY-03 labels and annotation of the copy follow the Kyma, those of its user stay, its spec is left', async t => {
  const accounts = { [labels.runtimeId]: 'rt', [labels.globalAccountId]: 'ga', [labels.subaccountId]: 'sa' }
  const of = stored(kyma({ metadata: { labels: accounts } }))
  const [created] = stepsOf(kymaCopyPart, { kyma: of, runtime: { copy: undefined } })
  const copy = stored((created?.do === 'create' ? created.object : undefined) as Kyma)
  t.strictSame(copy.metadata.labels, { ...accounts, [labels.watchedBy]: 'kyma', [labels.managedBy]: 'kyma' })
  t.strictSame(copy.metadata.annotations, { [annotations.ownedBy]: 'kcp-system/default-id' })
  const moved = mergePatched(of, {
    metadata: { labels: { [labels.globalAccountId]: 'other', [labels.subaccountId]: null } },
  }) as Kyma
  const edited = mergePatched(copy, { metadata: { labels: { mine: 'yes' } }, spec: { channel: 'fast' } }) as Kyma
  matches(t, stepsOf(kymaCopyPart, { kyma: moved, runtime: { copy: edited } }), [
    { do: 'patch', target: { kind: 'Kyma' } },
  ])
  const [step] = stepsOf(kymaCopyPart, { kyma: moved, runtime: { copy: edited } })
  t.strictSame(step?.do === 'patch' && step.merge, {
    metadata: { labels: { [labels.globalAccountId]: 'other', [labels.subaccountId]: null } },
  })
  t.strictSame(stepsOf(kymaCopyPart, { kyma: of, runtime: { copy: { ...edited, spec: { channel: 'fast' } } } }), [])
})

const condition = {
  type: 'Modules',
  status: 'True' as const,
  reason: 'Ready',
  message: 'all modules are in ready state',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration: 7,
} satisfies NonNullable<NonNullable<Kyma['status']>['conditions']>[number]
const tracked = (kind: string, namespace: string) => ({
  apiVersion: kymaKind.apiVersion,
  kind,
  metadata: { name: 'x', namespace, generation: 3 },
})
const status: NonNullable<Kyma['status']> = {
  state: 'Ready',
  activeChannel: 'regular',
  conditions: [condition],
  lastOperation: { operation: 'kyma is ready', lastUpdateTime: '2026-01-01T00:00:00Z' },
  modules: [
    {
      name: 'telemetry',
      state: 'Ready',
      maintenance: false,
      manifest: tracked('Manifest', 'kcp-system'),
      template: tracked('ModuleTemplate', 'kcp-system'),
      resource: tracked('Telemetry', 'kyma-system'),
    },
  ],
}

t.test("KY-04 KY-194 the copy's status: no Manifests, templates in its namespace, its own generation", async t => {
  t.strictSame(copyStatus(status, { namespace: 'kyma-system', generation: 2 }), {
    ...status,
    conditions: [{ ...condition, observedGeneration: 2 }],
    modules: [
      {
        name: 'telemetry',
        state: 'Ready',
        maintenance: false,
        template: tracked('ModuleTemplate', 'kyma-system'),
        resource: tracked('Telemetry', 'kyma-system'),
      },
    ],
  })
})

t.test("KY-04 the copy's status is written when it differs, and not while the copy is being deleted", async t => {
  const world = runtimeWorld()
  const copy = world.runtime.is === 'there' ? world.runtime.copy : undefined
  if (!copy) throw new Error('there is a copy')
  const steps = copyStatusSteps(world, status, [])
  matches(t, steps, [
    { do: 'patch', subresource: 'status', on: 'runtimes/default-id', merge: { status: { state: 'Ready' } } },
  ])
  const told = { ...copy, status: copyStatus(status, { namespace: 'kyma-system', generation: 1 }) }
  t.strictSame(copyStatusSteps(runtimeWorld({ runtime: { copy: told } }), status, []), [])
  const going = { ...copy, metadata: { ...copy.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
  t.strictSame(copyStatusSteps(runtimeWorld({ runtime: { copy: going } }), status, []), [])
})

t.test('KY-04 a copy that was created in this pass gets its status in this pass', async t => {
  const world = runtimeWorld({ runtime: { copy: undefined } })
  const results = done(kymaCopyPart.steps(world, now))
  matches(t, copyStatusSteps(world, status, results), [{ target: results[0]?.object }])
  t.strictSame(copyStatusSteps(world, status, []), [])
})

function imageSecret(data: Record<string, string>): KubeObject {
  const metadata = { name: 'images', namespace: 'kcp-system', labels: { theirs: 'x' } }
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'kubernetes.io/dockerconfigjson', data }
}

t.test('KY-10 the pull Secret is copied and follows changes; where it is missing, the Kyma is in Error', async t => {
  const settings = { ...runtimeWorld().settings, pullSecret: 'images' }
  const given = { settings, source: { crds: controlPlaneCrds, pullSecret: imageSecret({ a: 'MQ==' }) } }
  const [step] = stepsOf(pullSecret, given)
  matches(t, step, {
    do: 'apply',
    force: true,
    on: 'runtimes/default-id',
    object: { kind: 'Secret', type: 'kubernetes.io/dockerconfigjson', data: { a: 'MQ==' } },
  })
  const there = stored((step?.do === 'apply' ? step.object : undefined) as KubeObject)
  t.strictSame(stepsOf(pullSecret, { ...given, runtime: { pullSecret: there } }), [])
  t.equal(stepsOf(pullSecret, { ...given, runtime: { pullSecret: { ...there, type: 'Opaque' } } }).length, 1)
  const renewed = { crds: controlPlaneCrds, pullSecret: imageSecret({ a: 'Mg==' }) }
  t.equal(stepsOf(pullSecret, { ...given, source: renewed, runtime: { pullSecret: there } }).length, 1)
  matches(t, pullSecret.reports(runtimeWorld({ ...given, runtime: { pullSecret: there } }), [], now).condition, {
    type: 'SKRImagePullSecretSync',
    status: 'True',
  })
  matches(t, pullSecret.reports(runtimeWorld({ settings }), [], now), {
    condition: { type: 'SKRImagePullSecretSync', status: 'False', otherwise: 'Error' },
    trouble: { text: 'could not sync image pull secret: the control plane has no Secret images' },
  })
  t.strictSame(pullSecret.reports(runtimeWorld(), [], now), {}, 'none is set')
})

const fast = [
  { channel: 'regular', version: '1.2.3' },
  { channel: 'fast', version: '1.3.0' },
]
const newer = moduleTemplate({ metadata: { name: 'telemetry-1.3.0' }, spec: { version: '1.3.0' } })
const both = { templates: [moduleTemplate(), newer], metas: [moduleReleaseMeta({ spec: { channels: fast } })] }
const empty = { runtime: { catalogue: [] } }
const labelled = <T extends KubeObject>(object: T, set: Record<string, string>): T => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...set } },
})

t.test('KY-70 visible modules are written to the runtime under the field manager of the catalogue', async t => {
  const steps = stepsOf(moduleCatalogue, { catalogue: both, ...empty })
  t.strictSame(written(steps), [
    'create ModuleReleaseMeta telemetry',
    'create ModuleTemplate telemetry-1.2.3',
    'create ModuleTemplate telemetry-1.3.0',
  ])
  for (const step of steps)
    matches(t, step, {
      fieldManager: 'catalog-sync',
      isOfNewKind: true,
      on: 'runtimes/default-id',
      object: { metadata: { namespace: 'kyma-system', labels: { [labels.managedBy]: 'kyma' } } },
    })
})

t.test(
  'KY-70 channels whose ModuleTemplate is missing or hidden are cut; without any the module is left out',
  async t => {
    const channelsIn = (given: Given) => {
      const meta = stepsOf(moduleCatalogue, { ...empty, ...given }).flatMap(step =>
        'object' in step && step.object.kind === 'ModuleReleaseMeta' ? [step.object] : [],
      )
      return meta.map(({ spec }) => mapOrEmpty(spec).channels)
    }
    t.strictSame(channelsIn({ catalogue: { ...both, templates: [newer] } }), [fast.slice(1)])
    const hidden = { ...both, templates: [labelled(moduleTemplate(), { [labels.beta]: 'True' }), newer] }
    t.strictSame(channelsIn({ catalogue: hidden }), [fast.slice(1)])
    t.strictSame(channelsIn({ catalogue: hidden, kyma: stored(labelled(kyma(), { [labels.beta]: 'true' })) }), [fast])
    t.strictSame(channelsIn({ catalogue: { ...both, templates: [] } }), [])
    const mandatory = moduleReleaseMeta({ spec: { channels: null, mandatory: { version: '1.2.3' } } })
    t.strictSame(channelsIn({ catalogue: { ...both, metas: [mandatory] } }), [])
    const unpicked = labelled(moduleReleaseMeta(), { [labels.managedBy]: 'somebody' })
    t.strictSame(channelsIn({ catalogue: { ...both, metas: [unpicked] } }), [])
    const unpickedTemplate = labelled(moduleTemplate(), { [labels.managedBy]: 'somebody' })
    t.strictSame(channelsIn({ catalogue: { ...both, templates: [unpickedTemplate, newer] } }), [fast.slice(1)])
  },
)

t.test('KY-70 a restricted module is shown to Kymas that its selector matches', async t => {
  const { settings: usual } = runtimeWorld()
  const settings = { ...usual, restrictedModules: ['telemetry'] }
  const meta = moduleReleaseMeta({ spec: { kymaSelector: { matchLabels: { tier: 'gold' } } } })
  const given = { ...empty, settings, catalogue: { templates: [moduleTemplate()], metas: [meta] } }
  t.equal(stepsOf(moduleCatalogue, given).length, 0)
  t.equal(stepsOf(moduleCatalogue, { ...given, kyma: stored(labelled(kyma(), { tier: 'gold' })) }).length, 2)
})

t.test(
  'KY-354 an entry in the place of somebody else’s object is applied, and so are all where there are too many',
  async t => {
    const taken = new Set(['ModuleTemplate kyma-system/telemetry-1.2.3'])
    const verbs = (catalogueOfOthers: ReadonlySet<string> | undefined) =>
      written(stepsOf(moduleCatalogue, { catalogue: both, runtime: { catalogue: [], catalogueOfOthers } } as Given))
    t.strictSame(verbs(taken), [
      'create ModuleReleaseMeta telemetry',
      'apply ModuleTemplate telemetry-1.2.3',
      'create ModuleTemplate telemetry-1.3.0',
    ])
    t.ok(verbs(undefined).every(step => step.startsWith('apply ')))
  },
)

t.test('KY-284 no runtime learns which other Kymas may have a restricted module', async t => {
  const { settings: usual } = runtimeWorld()
  const settings = { ...usual, restrictedModules: ['telemetry'] }
  const accounts = { key: labels.globalAccountId, operator: 'In', values: ['mine', 'theirs'] }
  const meta = moduleReleaseMeta({ spec: { kymaSelector: { matchExpressions: [accounts] } } })
  const own = stored(labelled(kyma(), { [labels.globalAccountId]: 'mine' }))
  const catalogue = { templates: [moduleTemplate()], metas: [meta] }
  const steps = stepsOf(moduleCatalogue, { ...empty, settings, catalogue, kyma: own })
  t.strictSame(written(steps), ['create ModuleReleaseMeta telemetry', 'create ModuleTemplate telemetry-1.2.3'])
  lacks(t, JSON.stringify(steps), 'theirs')
})

t.test('FN-103 no runtime gets what it could not be read with', async t => {
  const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  const given = (levels: number) => {
    const template = moduleTemplate({ spec: { descriptor: { component: { more: deep(levels) } } } })
    return { ...empty, catalogue: { templates: [template], metas: [moduleReleaseMeta()] } }
  }
  t.strictSame(written(stepsOf(moduleCatalogue, given(97))), [
    'create ModuleReleaseMeta telemetry',
    'create ModuleTemplate telemetry-1.2.3',
  ])
  t.strictSame(stepsOf(moduleCatalogue, given(98)), [])
})

t.test('FN-104 nor what has very many values', async t => {
  const given = (values: number) => {
    const template = moduleTemplate({ spec: { data: { values: Array(values).fill(0) } as never } })
    return { ...empty, catalogue: { templates: [template], metas: [moduleReleaseMeta()] } }
  }
  t.equal(stepsOf(moduleCatalogue, given(19_980)).length, 2)
  t.strictSame(stepsOf(moduleCatalogue, given(20_000)), [])
})

t.test('KY-291 a catalogue that no runtime could be read with is cut by its largest modules', async t => {
  const channelsMost = 12
  const versions = Array.from({ length: channelsMost }, (_, at) => `1.0.${at}`)
  const moduleOf = (name: string, text: string) => ({
    meta: moduleReleaseMeta({
      metadata: { name },
      spec: { channels: versions.map((version, at) => ({ channel: `c${'abcdefghijkl'[at]}`, version })) } as never,
    }),
    templates: versions.map(version =>
      moduleTemplate({
        metadata: { name: `${name}-${version}`, annotations: { note: text.slice(0, 1_000) } },
        spec: { version, moduleName: name, data: { text } as never },
      }),
    ),
  })
  const [small, large, alone] = [
    moduleOf('small', 'x'),
    moduleOf('large', 'ü'.repeat(600_000)),
    moduleOf('alone', 'x'.repeat(900_000)),
  ]
  const shown = (...modules: (typeof small)[]) => {
    const catalogue = {
      templates: modules.flatMap(({ templates }) => templates),
      metas: modules.map(({ meta }) => meta),
    }
    return runtimeCatalogue({ ...runtimeWorld(), catalogue }).objects.map(({ metadata }) => metadata.name)
  }
  t.equal(shown(small).length, 1 + channelsMost)
  t.equal(shown(alone).length, 1 + channelsMost, 'what fits is shown, however large')
  t.strictSame(shown(large, small), shown(small), '1.2 MB each, as bytes')
  t.strictSame(shown(alone, large, small), [
    ...shown(alone).slice(0, 1),
    ...shown(small).slice(0, 1),
    ...shown(alone).slice(1),
    ...shown(small).slice(1),
  ])
})

t.test('KY-292 the condition ModuleCatalog names what a catalogue is without, and why', async t => {
  const messageOf = (world: World) => statusOf(world)?.conditions?.find(({ type }) => type === 'ModuleCatalog')?.message
  const values = (count: number) => ({ data: { values: Array(count).fill(0) } as never })
  const huge = { data: { text: 'x'.repeat(13 * 2 ** 20) } as never }
  const catalogue = {
    templates: [
      moduleTemplate({ spec: values(20_000) }),
      moduleTemplate({ metadata: { name: 'keda-fast' }, spec: { ...huge, moduleName: 'keda', channel: 'fast' } }),
      moduleTemplate({ metadata: { name: 'serverless-2.0.0' }, spec: { ...huge, moduleName: 'serverless' } }),
      labelled(moduleTemplate({ metadata: { name: 'secret-1.0.0' }, spec: values(20_000) }), {
        [labels.internal]: 'true',
      }),
    ],
    metas: [
      moduleReleaseMeta({
        spec: {
          channels: ['regular', 'fast'].map(channel => ({ channel, version: '1.2.3' })),
        },
      }),
      moduleReleaseMeta({
        metadata: { name: 'serverless' },
        spec: { channels: [{ channel: 'regular', version: '2.0.0' }] },
      }),
      moduleReleaseMeta({
        metadata: { name: 'secret' },
        spec: { channels: [{ channel: 'regular', version: '1.0.0' }] },
      }),
    ],
  }
  const world = runtimeWorld({ ...allOn(), catalogue })
  const message = [
    'module templates are synchronized; left out: ModuleTemplate kcp-system/telemetry-1.2.3: spec has more than 100 levels or 20000 values',
    'ModuleReleaseMeta kcp-system/serverless: it would make the catalogue larger than 12 MiB',
    'ModuleTemplate kcp-system/keda-fast: it would make the catalogue larger than 12 MiB',
  ].join('; ')
  t.equal(messageOf(world), message)
  t.equal(statusOf(world)?.state, 'Ready')
  const quiet = { ...world, runtime: { is: 'inOrder', copy: stored(kyma()) } } as World
  const told = { ...quiet, kyma: { ...quiet.kyma, status: statusOf(world) } } as World
  t.equal(messageOf(told), message, 'a quiet call says what was said')
  t.equal(messageOf(quiet), 'module templates are synchronized')
  const one = moduleCatalogue.reports({ ...world, runtime: { ...world.runtime, crds: [] } as KymaRuntime }, [], now)
  t.equal(one.condition?.message, undefined, 'nothing was written yet')
})

t.test('KY-294 each version of a ModuleTemplate is measured once, however often the catalogue is read', async t => {
  let looks = 0
  const readAgain = (resourceVersion: string, uid = 'template') => {
    const template = moduleTemplate({ metadata: { uid, resourceVersion } })
    const spec = Object.defineProperty({ ...template.spec }, 'data', { enumerable: true, get: () => void looks++ })
    const catalogue = { templates: [{ ...template, spec }], metas: [moduleReleaseMeta()] }
    looks = 0
    t.equal(runtimeCatalogue({ ...runtimeWorld(), catalogue }).objects.length, 2)
    return looks
  }
  const measured = readAgain('1')
  t.ok(measured > 0)
  t.equal(readAgain('1'), 0)
  t.equal(readAgain('2'), measured)
  t.equal(readAgain('2', 'made anew'), measured)
})

t.test('KY-71 a ModuleTemplate with a channel needs no ModuleReleaseMeta', async t => {
  const old = moduleTemplate({ metadata: { name: 'telemetry-regular' }, spec: { channel: 'regular' } })
  const given = (template: typeof old, metas: ReturnType<typeof moduleReleaseMeta>[] = []) =>
    written(stepsOf(moduleCatalogue, { ...empty, catalogue: { templates: [template], metas } }))
  t.strictSame(given(old), ['create ModuleTemplate telemetry-regular'])
  t.strictSame(given(moduleTemplate()), [], 'without a channel nobody finds it')
  t.strictSame(given(labelled(old, { [labels.mandatoryModule]: 'true' })), [])
  t.strictSame(given(labelled(old, { [labels.internal]: 'true' })), [])
  t.strictSame(given(old, [moduleReleaseMeta()]), [], 'the ModuleReleaseMeta decides')
})

t.test(
  'KY-72 what was edited or deleted in the runtime is applied again, what is no longer wanted is deleted',
  async t => {
    const world = runtimeWorld({ catalogue: both })
    const there = world.runtime.is === 'there' ? world.runtime.catalogue : []
    const [meta, ...templates] = there
    if (!meta) throw new Error('there is a catalogue')
    t.strictSame(written(stepsOf(moduleCatalogue, { catalogue: both, runtime: { catalogue: templates } })), [
      'create ModuleReleaseMeta telemetry',
    ])
    const edited = mergePatched(meta, { spec: { channels: [] } }) as KubeObject
    t.strictSame(
      written(stepsOf(moduleCatalogue, { catalogue: both, runtime: { catalogue: [edited, ...templates] } })),
      ['apply ModuleReleaseMeta telemetry'],
    )
    const nothing = { templates: [], metas: [] }
    const steps = stepsOf(moduleCatalogue, { catalogue: nothing, runtime: { catalogue: there } })
    t.strictSame(
      written(steps),
      there.map(({ kind, metadata }) => `delete ${kind} ${metadata.name}`),
    )
  },
)

t.test('KY-73 with sync=false or without moduleCatalog the catalogue is neither written nor deleted', async t => {
  const leftover = [stored(moduleTemplate({ metadata: { name: 'old', namespace: 'kyma-system' } }))]
  for (const left of [stored(labelled(kyma(), { [labels.sync]: 'False' })), remote({ moduleCatalog: false })]) {
    const world = runtimeWorld({ kyma: left, catalogue: both, runtime: { catalogue: leftover } })
    t.strictSame(moduleCatalogue.steps(world, now), [])
    t.strictSame(moduleCatalogue.reports(world, [], now), {})
  }
  const unshared = { ...both, templates: [labelled(moduleTemplate(), { [labels.sync]: 'false' }), newer] }
  t.strictSame(written(stepsOf(moduleCatalogue, { ...empty, catalogue: unshared })), [
    'create ModuleReleaseMeta telemetry',
    'create ModuleTemplate telemetry-1.3.0',
  ])
})

t.test('KY-75 an object that is refused is named, and each object is a step of its own', async t => {
  const world = runtimeWorld({ catalogue: both, ...empty })
  const [first, ...others] = moduleCatalogue.steps(world, now)
  matches(t, first && moduleCatalogue.reports(world, [refused(first, 'it is too long'), ...done(others)], now), {
    condition: { type: 'ModuleCatalog', status: 'False', otherwise: 'Error' },
    trouble: {
      text: /^could not synchronize module catalog: ModuleReleaseMeta kyma-system\/telemetry: it is too long$/,
    },
  })
  matches(t, moduleCatalogue.reports(world, done(moduleCatalogue.steps(world, now)), now).condition, { status: 'True' })
})

t.test('KY-75 a catalogue that cannot be written yet is no error', async t => {
  const world = runtimeWorld({ catalogue: both, runtime: { catalogue: [], crds: [] } })
  t.strictSame(moduleCatalogue.steps(world, now), [])
  matches(t, moduleCatalogue.reports(world, [], now).condition, { status: 'False', otherwise: 'Processing' })
})

const allOn = (): Given => {
  const pullSecret = imageSecret({ a: 'MQ==' })
  const certificate = { 'ca.crt': 'Y2E=', 'tls.crt': 'Y2VydA==', 'tls.key': 'a2V5' }
  const finalizers = [kymaNames.finalizers.kyma]
  return {
    kyma: stored(kyma({ metadata: { finalizers, generation: 4 } })),
    settings: {
      ...runtimeWorld().settings,
      pullSecret: 'images',
      agentImage: 'espalier',
      eventAddress: 'listener.example:443',
    },
    source: { crds: controlPlaneCrds, pullSecret, agent: { watchers: [], certificate } },
    runtime: { pullSecret: stored(runtimePullSecret(pullSecret, 'kyma-system')) },
  }
}

/** The Kyma as a pass reports it in which every object was in order already. */
const statusOf = (world: World) => {
  const plan = decide(world, now)
  const results = plan.steps.map((step): StepResult => {
    const object = 'object' in step ? { ...step.object, status: { readyReplicas: 1 } } : undefined
    return { step, changed: false, ...(object && { object }) }
  })
  return report(world, plan, results, now).status as Kyma['status']
}

t.test('KY-198 KY-194 a Ready Kyma has the conditions of the features that are on, and no other', async t => {
  const names = (world: World) => statusOf(world)?.conditions?.map(({ type }) => type)
  const all = ['Modules', 'ModuleCatalog', 'CRDsSync', 'SKRWebhook', 'SKRImagePullSecretSync']
  const status = statusOf(runtimeWorld(allOn()))
  t.equal(status?.state, 'Ready')
  t.strictSame(
    status?.conditions?.map(({ message: _, ...rest }) => rest),
    all.map(type => ({
      type,
      status: 'True',
      reason: 'Ready',
      observedGeneration: 4,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
  )
  t.strictSame(
    status?.conditions?.map(({ message }) => message),
    [
      'all modules are in ready state',
      'module templates are synchronized',
      'CRDs are synchronized to the SKR',
      'skrwebhook is synchronized',
      'skr image pull secret is synchronized',
    ],
  )
  const without = (type: string) => all.filter(one => one !== type)
  const on = allOn()
  const settings = on.settings ?? runtimeWorld().settings
  const unshared = labelled(on.kyma ?? stored(kyma()), { [labels.sync]: 'false' })
  t.strictSame(names(runtimeWorld({ ...on, kyma: unshared })), without('ModuleCatalog'))
  t.strictSame(
    names(runtimeWorld({ ...on, settings: { ...settings, pullSecret: undefined } })),
    without('SKRImagePullSecretSync'),
  )
  t.strictSame(names(runtimeWorld({ ...on, settings: { ...settings, watcher: 'off' } })), without('SKRWebhook'))
  const copy = stored(kyma())
  t.strictSame(names({ ...runtimeWorld(on), runtime: { is: 'inOrder', copy }, source: { crds: [] } }), all)
  t.strictSame(names({ ...runtimeWorld(on), runtime: { is: 'off' } }), ['Modules'])
})

t.test('KY-82 KY-83 what a Kyma in deletion makes of a runtime that it cannot reach', async t => {
  const metadata = { deletionTimestamp: '2026-11-23T09:00:00Z' }
  const kyma = ownKyma({ metadata, status: { state: 'Deleting' } })
  const rows = { away: 'why', refused: 'why', unknown: undefined, taken: undefined } as const
  for (const [is, reason] of Object.entries(rows)) {
    const runtime = { is, fault: 'why' } as KymaRuntime
    const { waitsFor, rows: due } = deletionPlan(kymaWorld({ kyma, runtime }), now)
    t.strictSame([waitsFor, due.at(-1)?.name], [reason, reason ? undefined : 'DropKymaFinalizer'], is)
  }
})

t.test('KY-302 a runtime that does not take the status of the copy does not hold up the deletion', async t => {
  const metadata = { deletionTimestamp: '2026-11-23T09:00:00Z', finalizers: [kymaNames.finalizers.kyma] }
  const of = stored(
    kyma({ metadata: { uid: 'kyma-uid', ...metadata }, status: { state: 'Deleting' } } as Partial<Kyma>),
  )
  const manifest = moduleManifest({ metadata: { labels: { [labels.kymaName]: 'default-id' } } })
  const leftovers = { otherCopies: [], agent: [] }
  const due = (manifests: World['manifests'], runtime: Given['runtime'] = {}) =>
    deletionPlan(runtimeWorld({ kyma: of, manifests, runtime: { leftovers, ...runtime } }), now).rows
  const first = due([manifest])
  t.strictSame(
    first.map(({ name }) => name),
    ['SetSkrKymaStateDeleting', 'DeleteManifests'],
  )
  matches(t, first[0]?.steps, [{ subresource: 'status', isConflictPassing: true }])
  t.strictSame(
    due([]).map(({ name }) => name),
    ['SetSkrKymaStateDeleting', 'DeleteSkrModuleTemplateCrd'],
  )
  const names = due([], { crds: [], catalogue: [] }).map(({ name }) => name)
  t.strictSame(names, ['DeleteSkrKyma'], 'which is not changed while it is deleted')
})
