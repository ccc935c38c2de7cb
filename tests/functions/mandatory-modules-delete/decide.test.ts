import t from 'tap'
import { decide, report } from '../../../functions/mandatory-modules-delete/decide.ts'
import type { World } from '../../../functions/mandatory-modules-delete/world.ts'
import { kymaKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import type { Plan, Step } from '../../../shared/core/decisions/plan.ts'
import { type KubeObject, type ObjectMeta, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Manifest, ModuleReleaseMeta, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { lookUp } from '../../../shared/kyma/modules/look-up.ts'
import { matches } from '../../harness/matches.ts'
import { kyma, moduleManifest, moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import { mandatoryMeta, mandatoryTemplate } from '../../make/kyma/mandatory-modules.ts'

const op = 'operator.kyma-project.io'
const finalizers = [`${op}/mandatory-module`]
const going = { deletionTimestamp: '2026-01-01T12:00:00Z', finalizers }
const usedBy = (name: string) => ({ annotations: { [`${op}/released-by`]: name } })
const labelled = (label: string, value: string | null) => ({ labels: { [`${op}/${label}`]: value } })

const manifest = (module: string, version: string, metadata: Partial<ObjectMeta> = {}): Manifest =>
  moduleManifest({
    metadata: {
      name: `default-id-${module}-${version}`,
      labels: { [`${op}/module-name`]: module, [`${op}/mandatory-module`]: 'true' },
      annotations: { [`${op}/fqdn`]: `kyma-project.io/module/${module}` },
      ...metadata,
    },
    spec: { version },
  })

const world = (...objects: readonly KubeObject[]): World => ({
  catalogue: {
    templates: objects.filter(({ kind }) => kind === 'ModuleTemplate') as ModuleTemplate[],
    metas: objects.filter(({ kind }) => kind === 'ModuleReleaseMeta') as ModuleReleaseMeta[],
  },
  manifests: objects.filter(({ kind }) => kind === 'Manifest') as Manifest[],
  elsewhere: [],
})

const stepText = (step: Step): string => ('target' in step ? `${step.do} ${refText(refOf(step.target))}` : step.do)
const short = (text: string): string => text.replace(' kcp-system/', ' ')
const stepsOf = (plan: Plan): string[] => plan.steps.map(step => short(stepText(step)))

const live = (version: string, metadata: Partial<ObjectMeta> = {}) =>
  mandatoryTemplate('warden', version, { metadata: { finalizers, ...metadata } })
const isGoing = (version: string) => mandatoryTemplate('warden', version, { metadata: going })

/** People may name any manager they like. */
const ofSomebody = manifest('warden', '1.0.0', {
  labels: {
    [`${op}/module-name`]: 'warden',
    [`${op}/mandatory-module`]: 'true',
    [`${op}/managed-by`]: 'somebody',
  },
})

const cases: Record<string, { objects: readonly KubeObject[]; steps: readonly string[]; waits?: string }> = {
  'KY-95 a labelled version gets the finalizer': {
    objects: [mandatoryTemplate('warden', '1.0.0')],
    steps: ['addFinalizer ModuleTemplate warden-1.0.0'],
  },
  'KY-95 one that has it, one without the label and one that is not ours are left alone': {
    objects: [
      live('1.0.0'),
      moduleTemplate(),
      mandatoryTemplate('warden', '2.0.0', { metadata: labelled('mandatory-module', null) }),
      mandatoryTemplate('warden', '3.0.0', { metadata: { ...going, ...labelled('managed-by', 'somebody') } }),
    ],
    steps: [],
  },
  'KY-188 one without the label managed-by gets it too': {
    objects: [mandatoryTemplate('warden', '2.0.0', { metadata: labelled('managed-by', null) })],
    steps: ['addFinalizer ModuleTemplate warden-2.0.0'],
  },
  'KY-95 a version is deleted: its Manifests go, and no others': {
    objects: [
      ...[isGoing('1.0.0'), live('0.9.0'), manifest('warden', '1.0.0'), manifest('warden', '0.9.0')],
      manifest('other', '1.0.0'),
    ],
    steps: ['delete Manifest default-id-warden-1.0.0'],
    waits: '1 Manifest to be deleted',
  },
  'KY-95 the Manifests are known by the component, too': {
    objects: [
      mandatoryTemplate('warden', '1.0.0', { metadata: { ...going, name: 'whatever' } }),
      manifest('warden', '1.0.0'),
    ],
    steps: ['delete Manifest default-id-warden-1.0.0'],
    waits: '1 Manifest to be deleted',
  },
  'KY-95 a Manifest that says neither component nor version is of no version': {
    objects: [
      mandatoryTemplate('warden', '1.0.0', {
        metadata: going,
        spec: { descriptor: { component: { name: null, version: null } } },
      }),
      moduleManifest(),
    ],
    steps: ['removeFinalizer ModuleTemplate warden-1.0.0'],
  },
  'KY-95 it is held until they are gone': {
    objects: [isGoing('1.0.0'), manifest('warden', '1.0.0', { deletionTimestamp: going.deletionTimestamp })],
    steps: [],
    waits: '1 Manifest to be deleted',
  },
  'KY-95 then it goes': { objects: [isGoing('1.0.0')], steps: ['removeFinalizer ModuleTemplate warden-1.0.0'] },
  'KY-95 the label was taken off before: its Manifests go all the same': {
    objects: [
      mandatoryTemplate('warden', '1.0.0', { metadata: { ...going, ...labelled('mandatory-module', null) } }),
      manifest('warden', '1.0.0'),
    ],
    steps: ['delete Manifest default-id-warden-1.0.0'],
    waits: '1 Manifest to be deleted',
  },
  'KY-96 a mandatory ModuleReleaseMeta gets the finalizer, and the version that it uses is marked': {
    objects: [moduleTemplate(), mandatoryMeta('telemetry', '1.2.3')],
    steps: ['addFinalizer ModuleReleaseMeta telemetry', 'patch ModuleTemplate telemetry-1.2.3'],
  },
  'KY-96 one with channels is left alone': { objects: [moduleTemplate(), moduleReleaseMeta()], steps: [] },
  'KY-96 it is deleted: all Manifests of the module go, whatever their version': {
    objects: [
      ...[live('1.0.0', usedBy('warden')), mandatoryMeta('warden', '1.0.0', going)],
      ...[manifest('warden', '1.0.0'), manifest('warden', '0.9.0'), manifest('other', '1.0.0')],
    ],
    steps: ['delete Manifest default-id-warden-1.0.0', 'delete Manifest default-id-warden-0.9.0'],
    waits: '2 Manifests to be deleted',
  },
  'KY-96 it is not let go before what it used is marked': {
    objects: [live('1.0.0'), mandatoryMeta('warden', '1.0.0', going)],
    steps: ['patch ModuleTemplate warden-1.0.0'],
  },
  'KY-96 then it goes': {
    objects: [live('1.0.0', usedBy('warden')), mandatoryMeta('warden', '1.0.0', going)],
    steps: ['removeFinalizer ModuleReleaseMeta warden'],
  },
  'KY-96 a Manifest that was made while it went goes after it': {
    objects: [live('1.0.0', usedBy('warden')), manifest('warden', '1.0.0')],
    steps: ['delete Manifest default-id-warden-1.0.0'],
    waits: '1 Manifest to be deleted',
  },
  'KY-96 not while another of the name is there, whoever manages it': {
    objects: [
      live('1.0.0', usedBy('warden')),
      manifest('warden', '1.0.0'),
      moduleReleaseMeta({
        metadata: { name: 'warden', ...labelled('managed-by', null) },
        spec: { moduleName: 'warden' },
      }),
    ],
    steps: [],
  },
  'KY-222 a Manifest that is somebody else’s stays when its version ends, and does not hold it': {
    objects: [isGoing('1.0.0'), ofSomebody],
    steps: ['removeFinalizer ModuleTemplate warden-1.0.0'],
  },
  'KY-222 it stays when the ModuleReleaseMeta ends': {
    objects: [live('1.0.0', usedBy('warden')), mandatoryMeta('warden', '1.0.0', going), ofSomebody],
    steps: ['removeFinalizer ModuleReleaseMeta warden'],
  },
  'KY-223 what another ModuleTemplate of the same version declares is not taken out with one that was used before': {
    objects: [live('1.0.0', usedBy('warden')), live('1.0.0', { name: 'warden-again' }), manifest('warden', '1.0.0')],
    steps: [],
  },
  'KY-223 nor with one that is deleted': {
    objects: [isGoing('1.0.0'), live('1.0.0', { name: 'warden-again' }), manifest('warden', '1.0.0')],
    steps: ['removeFinalizer ModuleTemplate warden-1.0.0'],
  },
  'KY-223 nor what a ModuleReleaseMeta declares': {
    objects: [
      mandatoryTemplate('warden', '1.0.0', { metadata: { ...going, name: 'former' } }),
      ...[live('1.0.0', usedBy('warden')), mandatoryMeta('warden', '1.0.0', { finalizers })],
      manifest('warden', '1.0.0'),
    ],
    steps: ['removeFinalizer ModuleTemplate former'],
  },
  'KY-223 a template of another module declares nothing of this one, though it has the same component': {
    objects: [
      isGoing('1.0.0'),
      mandatoryTemplate('other', '1.0.0', {
        metadata: { finalizers },
        spec: { descriptor: { component: { name: 'kyma-project.io/module/warden', version: '1.0.0' } } },
      }),
      manifest('warden', '1.0.0'),
    ],
    steps: ['delete Manifest default-id-warden-1.0.0'],
    waits: '1 Manifest to be deleted',
  },
  'KY-223 neither does one that does not count, or another version': {
    objects: [
      ...[isGoing('1.0.0'), live('2.0.0'), manifest('warden', '1.0.0')],
      mandatoryTemplate('warden', '1.0.0', { metadata: { name: 'unlabelled', ...labelled('mandatory-module', null) } }),
    ],
    steps: ['delete Manifest default-id-warden-1.0.0'],
    waits: '1 Manifest to be deleted',
  },
  'KY-98 a ModuleTemplate and a ModuleReleaseMeta of one name are both seen to in one call': {
    objects: [
      mandatoryTemplate('warden', '1.0.0', { metadata: { ...going, name: 'warden' } }),
      mandatoryMeta('warden', '2.0.0', going),
    ],
    steps: ['removeFinalizer ModuleTemplate warden', 'removeFinalizer ModuleReleaseMeta warden'],
  },
}

for (const [title, { objects, steps, waits }] of Object.entries(cases))
  t.test(title, async t => {
    const plan = decide(world(...objects))
    t.strictSame(stepsOf(plan), steps)
    t.strictSame(plan.next, waits ? { is: 'waiting', seconds: 60, for: waits } : { is: 'settled' })
  })

t.test('KY-96 the mark names the ModuleReleaseMeta', async t => {
  const [, step] = decide(world(moduleTemplate(), mandatoryMeta('telemetry', '1.2.3'))).steps
  matches(t, step, { merge: { metadata: { annotations: { [`${op}/released-by`]: 'telemetry' } } } })
})

const notesOf = (given: World): string[] =>
  decide(given).events.map(
    ({ type, reason, message, regarding, occasion }) =>
      `${short(regarding ? refText(refOf(regarding)) : '')} ${type} ${reason} ${message} (${occasion})`,
  )

const one = { generation: 1, finalizers }

t.test('KY-188 of what lies in the control plane without the label managed-by nothing is said', async t => {
  const unlabelled = { ...one, ...labelled('managed-by', null) }
  t.strictSame(
    notesOf(world(moduleTemplate({ metadata: unlabelled }), moduleReleaseMeta({ metadata: unlabelled }))),
    [],
  )
})

t.test('KY-199 what lies elsewhere is told of, but for copies in a runtime', async t => {
  const stray = (kind: KubeObject | { apiVersion: string; kind: string }, value: string | null): KubeObject => ({
    ...kyma({ metadata: { ...one, name: 'stray', namespace: 'default', ...labelled('managed-by', value) } }),
    apiVersion: kind.apiVersion,
    kind: kind.kind,
  })
  const elsewhere = [
    ...[kymaKind, moduleTemplateKind, moduleReleaseMetaKind].map(kind => stray(kind, null)),
    ...[stray(kymaKind, 'lifecycle-manager'), stray(kymaKind, 'kyma'), stray(kymaKind, 'somebody')],
  ]
  t.strictSame(
    notesOf({ ...world(), elsewhere }),
    ['Kyma', 'ModuleTemplate', 'ModuleReleaseMeta', 'Kyma'].map(
      kind => `${kind} default/stray Warning NotPickedUp not used: Espalier reads only the namespace kcp-system (1)`,
    ),
  )
})

t.test(
  'KY-200 a template that only its field calls mandatory is told of, unless a ModuleReleaseMeta has it',
  async t => {
    const template = (mandatory: boolean, metadata: Partial<ObjectMeta> = {}) =>
      moduleTemplate({ metadata: { ...one, ...metadata }, spec: { mandatory } })
    const told = `ModuleTemplate telemetry-1.2.3 Warning MandatoryLabelMissing not installed: spec.mandatory alone has no effect; set the label ${op}/mandatory-module=true (1)`
    t.strictSame(notesOf(world(template(true))), [told])
    t.strictSame(notesOf(world(template(false))), [])
    t.strictSame(notesOf(world(template(true), moduleReleaseMeta())), [])
    t.strictSame(notesOf(world(template(true), mandatoryMeta('telemetry', '1.2.3'))), [])
    t.strictSame(notesOf(world(mandatoryTemplate('warden', '1.0.0', { metadata: one, spec: { mandatory: true } }))), [])
  },
)

t.test('KY-201 a ModuleReleaseMeta whose module has another name is told of', async t => {
  t.strictSame(notesOf(world(moduleReleaseMeta({ metadata: { ...one, name: 'other' } }))), [
    'ModuleReleaseMeta other Warning ModuleNameDiffers spec.moduleName telemetry has no effect: the module is found only by the name of the object, other (1)',
  ])
  const [template, other] = [moduleTemplate(), moduleReleaseMeta({ metadata: { name: 'other' } })]
  const looked = lookUp({ name: 'telemetry', channel: 'regular' }, { templates: [template], metas: [other] })
  matches(t, looked, { fault: { is: 'notFound' } }, 'it is not found by its field')
  const called = moduleTemplate({ metadata: { name: 'other-1.2.3' } })
  matches(t, lookUp({ name: 'other', channel: 'regular' }, { templates: [called], metas: [other] }), {
    found: { meta: { metadata: { name: 'other' } } },
  })
})

t.test('KY-97 what cannot be installed is told of, with the reason', async t => {
  const faulty = (module: string, spec: object) => mandatoryTemplate(module, '1.0.0', { metadata: one, spec })
  const component = { name: 'kyma-project.io/module/any', version: '1.0.0' }
  const told = (object: string, reason: string) =>
    `${object} Warning MandatoryModuleNotInstalled not installed: ${reason} (1)`
  const layer = { name: 'raw-manifest', access: { type: 'helm', localReference: 'x' } }
  t.strictSame(
    notesOf(
      world(
        mandatoryMeta('five', '1.0.0', one),
        faulty('one', { descriptor: { component: { name: null } } }),
        faulty('two', { descriptor: { component: { ...component, version: null } } }),
        faulty('three', { descriptor: { component: { ...component, version: 'soon' } } }),
        faulty('four', { moduleName: null }),
        faulty('six', { descriptor: { component: { ...component, repositoryContexts: [{}], resources: [layer] } } }),
      ),
    ),
    [
      told('ModuleReleaseMeta five', `failed to get module template: ModuleTemplate.${op} "five-1.0.0" not found`),
      told('ModuleTemplate one-1.0.0', 'component descriptor has no component.name'),
      told('ModuleTemplate two-1.0.0', 'component descriptor has no component.version'),
      told('ModuleTemplate three-1.0.0', 'component.version soon is not a semantic version'),
      told(
        'ModuleTemplate four-1.0.0',
        `it refers to no module, neither in the label ${op}/module-name nor in spec.moduleName`,
      ),
      told('ModuleTemplate six-1.0.0', 'resource raw-manifest has the unknown access type "helm"'),
    ],
  )
})

t.test('KY-97 a descriptor that lies in the registry is no fault', async t => {
  const bare = mandatoryTemplate('warden', '1.0.0', { metadata: one, spec: { descriptor: { component: null } } })
  const meta = mandatoryMeta('warden', '1.0.0', one)
  const named = { ...meta, spec: { ...meta.spec, ocmComponentName: 'kyma-project.io/module/warden' } }
  t.strictSame(notesOf(world(bare, named)), [])
  t.equal(notesOf(world(bare, meta)).length, 1)
})

t.test('writes that fail are told of by the reasons of the Go operator', async t => {
  const given = world(mandatoryTemplate('warden', '2.0.0'), isGoing('1.0.0'), manifest('warden', '1.0.0'))
  const plan = decide(given)
  const failed = (isConflict: boolean) =>
    report(
      given,
      plan,
      plan.steps.map(step => ({
        step,
        changed: false,
        error: { message: 'no', isConflict, isRetriable: false, ref: refOf(manifest('warden', '1.0.0')) },
      })),
    ).events?.map(({ reason, regarding }) => `${reason} ${regarding?.metadata.name}`)
  t.strictSame(failed(false), [
    'SettingMandatoryModuleTemplateFinalizerError warden-2.0.0',
    'DeletingMandatoryModuleManifestError default-id-warden-1.0.0',
  ])
  t.strictSame(failed(true), [])
})
