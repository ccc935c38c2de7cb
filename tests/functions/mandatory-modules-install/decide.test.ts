import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import t from 'tap'
import { decide } from '../../../functions/mandatory-modules-install/decide.ts'
import { gather, kymasToCall } from '../../../functions/mandatory-modules-install/gather.ts'
import { mandatoryModulesSettings } from '../../../functions/mandatory-modules-install/settings.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import type { Plan, Step } from '../../../shared/core/decisions/plan.ts'
import { type KubeObject, type ObjectMeta, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import type { Client, Clusters } from '../../../shared/kube/client-types.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { normalisedText } from '../../../shared/kyma/modules/normal-forms.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { matches } from '../../harness/matches.ts'
import { SimulatedWorld } from '../../harness/simulated/simulated-world.ts'
import { kyma, moduleReleaseMeta } from '../../make/kyma/kyma.ts'
import { mandatoryMeta, mandatoryTemplate } from '../../make/kyma/mandatory-modules.ts'
import { descriptorTar, noRegistry } from '../../make/kyma/module-registry.ts'

const op = 'operator.kyma-project.io'
const deletionTimestamp = '2026-01-01T12:00:00Z'
const held = { deletionTimestamp, finalizers: [`${op}/mandatory-module`] }
const theKyma = kyma({ metadata: { uid: 'uid-of-kyma' } })
const settings = { ...defaultValues(mandatoryModulesSettings), registry: 'registry.example' }

const unreached: Clusters = { of: () => Promise.reject(new Error('no runtime is reached')) }

const planFor = async (
  objects: readonly KubeObject[],
  of: Kyma = theKyma,
  { call = noRegistry, clusters = unreached } = {},
): Promise<Plan> => {
  const { reads } = new SimulatedWorld(objects)
  return decide(await gather(of, { reads, settings, memory: processMemory(), clusters }, call))
}

const stepText = (step: Step): string => {
  const { metadata, spec } = ('target' in step ? step.target : 'object' in step ? step.object : {}) as Manifest
  const to = step.do === 'patch' ? ` to ${JSON.stringify(step.merge)}` : ` ${spec.version}`
  return `${step.do} ${metadata.name}${to}`
}

const stepsFor = async (objects: readonly KubeObject[], of?: Kyma): Promise<string[]> =>
  (await planFor(objects, of)).steps.map(stepText)

const versions = (...all: readonly string[]) => all.map(version => mandatoryTemplate('warden', version))
const name = 'default-id-warden-641595061'

/** As it is stored after this version was installed. */
const installed = async (version: string, metadata: Partial<ObjectMeta> = {}): Promise<Manifest> => {
  const [step] = (await planFor(versions(version))).steps
  if (step?.do !== 'create') throw new Error('nothing is installed')
  return { ...step.object, metadata: { ...step.object.metadata, ...metadata } } as Manifest
}

t.test('KY-310 two mandatory modules whose names are cut to the same get two Manifests, and keep them', async t => {
  const long = kyma({ metadata: { name: 'k'.repeat(61), uid: 'uid-of-kyma' } })
  const declared = [mandatoryTemplate('warden', '1.0.0'), mandatoryTemplate('sentry', '1.0.0')]
  const made = (await planFor(declared, long)).steps.flatMap(step =>
    step.do === 'create' ? (step.object as Manifest) : [],
  )
  t.strictSame(
    made.map(({ metadata }) => metadata.name),
    ['k'.repeat(61), `${'k'.repeat(51)}-3133155944`],
  )
  t.strictSame(await stepsFor([...declared, ...made], long), [])
  t.strictSame(await stepsFor([declared[1] as KubeObject, ...made.slice(1)], long), [], 'the first name is free')
  const [first] = made as [Manifest]
  const edited = {
    ...first,
    metadata: { ...first.metadata, labels: { ...first.metadata.labels, [`${op}/module-name`]: 'x' } },
  }
  t.strictSame(await stepsFor([...declared, edited, ...made.slice(1)], long), [
    `patch ${'k'.repeat(61)} to {"metadata":{"labels":{"${op}/module-name":"warden"}}}`,
  ])
})

t.test('KY-90 of three labelled versions the highest is installed, by semantic versioning', async t => {
  const [step, ...more] = (await planFor(versions('1.9.0', '1.10.0', '1.10.0-rc'))).steps
  t.strictSame(more, [])
  matches(t, step, {
    do: 'create',
    object: {
      metadata: {
        name,
        namespace: 'kcp-system',
        ownerReferences: [{ kind: 'Kyma', name: 'default-id', uid: 'uid-of-kyma', controller: true }],
      },
      spec: { version: '1.10.0', customResourcePolicy: 'CreateAndDelete', remote: true },
    },
  })
  t.strictSame(step?.do === 'create' && step.object.metadata.labels, {
    [`${op}/kyma-name`]: 'default-id',
    [`${op}/module-name`]: 'warden',
    [`${op}/controller-name`]: '',
    [`${op}/managed-by`]: 'lifecycle-manager',
    [`${op}/mandatory-module`]: 'true',
  })
})

t.test('KY-237 in the runtime of another Kyma nothing is installed until it is free', async t => {
  const other = kyma({ metadata: { name: 'other', uid: 'other' } })
  const ownedBy = (owner: string): KubeObject => ({
    ...refOf(theKyma),
    metadata: { name: 'default', namespace: 'kyma-system', annotations: { [kymaNames.annotations.ownedBy]: owner } },
  })
  const place = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'runtime' } }
  const asked: string[] = []
  const leadingTo = (...objects: readonly KubeObject[]): Clusters => ({
    of: async name => {
      asked.push(name)
      const get = async ({ name }: ObjectRef) => objects.find(({ metadata }) => metadata.name === name)
      return { get } as unknown as Client
    },
  })
  const [taken, own] = [ownedBy('kcp-system/other'), ownedBy('kcp-system/default-id')]
  const objects = [...versions('1.0.0'), other]
  const plan = await planFor(objects, theKyma, { clusters: leadingTo(place, taken) })
  t.strictSame(plan.steps, [])
  matches(t, plan.next, { is: 'waiting', seconds: 30, for: /^Kyma kcp-system\/other has the same runtime/ })
  for (const [what, clusters] of Object.entries({
    'its copy is its own': leadingTo(place, own),
    'there is no copy yet': leadingTo(place),
    'it does not answer: the Manifest will say so': unreached,
  }))
    t.strictSame((await planFor(objects, theKyma, { clusters })).steps.map(stepText), [`create ${name} 1.0.0`], what)
  asked.splice(0)
  const there = [...objects, await installed('1.0.0')]
  t.strictSame((await planFor(there, theKyma, { clusters: leadingTo(place, taken) })).steps, [])
  t.strictSame(asked, [], 'nobody is asked where nothing is to be made')
})

type Case = {
  readonly objects: () => Promise<readonly KubeObject[]>
  readonly steps: readonly string[]
  readonly of?: Kyma
}

const labelled = (label: string, value: string | null) => ({ labels: { [`${op}/${label}`]: value } })
const at = (object: KubeObject, metadata: Partial<ObjectMeta>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...metadata },
})

const unlabelled = (version: string, metadata: Partial<ObjectMeta> = {}) =>
  mandatoryTemplate('warden', version, { metadata: { ...metadata, ...labelled('mandatory-module', null) } })

const cases: Record<string, Case> = {
  'KY-90 what is installed in the highest version is left alone': {
    objects: async () => [...versions('1.9.0', '1.10.0'), await installed('1.10.0')],
    steps: [],
  },
  'KY-93 a higher version appears': {
    objects: async () => [...versions('1.9.0', '1.10.0'), await installed('1.9.0')],
    steps: [`patch ${name} to {"spec":{"version":"1.10.0"}}`],
  },
  'KY-93 the highest version is labelled no more': {
    objects: async () => [...versions('1.9.0'), unlabelled('1.10.0'), await installed('1.10.0')],
    steps: [`patch ${name} to {"spec":{"version":"1.9.0"}}`],
  },
  'KY-93 the last version is labelled no more: what is installed stays': {
    objects: async () => [unlabelled('1.9.0'), await installed('1.9.0')],
    steps: [],
  },
  'KY-91 a ModuleReleaseMeta installs its version': {
    objects: async () => [
      ...versions('2.0.0').map(one => at(one, { labels: { [`${op}/managed-by`]: 'lifecycle-manager' } })),
      mandatoryMeta('warden', '2.0.0'),
    ],
    steps: [`create ${name} 2.0.0`],
  },
  'KY-91 KY-92 the ModuleReleaseMeta decides over labels, also to a lower version': {
    objects: async () => [...versions('1.9.0', '1.10.0'), mandatoryMeta('warden', '1.9.0'), await installed('1.10.0')],
    steps: [`patch ${name} to {"spec":{"version":"1.9.0"}}`],
  },
  'KY-92 one with channels decides too: nothing is mandatory': {
    objects: async () => [
      ...versions('1.9.0'),
      moduleReleaseMeta({ metadata: { name: 'warden' }, spec: { moduleName: 'warden' } }),
    ],
    steps: [],
  },
  'KY-96 one that is being deleted decides still: labelled versions are not installed': {
    objects: async () => [...versions('1.9.0'), mandatoryMeta('warden', '1.9.0', held)],
    steps: [],
  },
  'KY-96 it is gone, and the version that it used does not come back; another one does': {
    objects: async () => [
      mandatoryTemplate('warden', '1.10.0', { metadata: { annotations: { [`${op}/released-by`]: 'warden' } } }),
      ...versions('1.9.0'),
    ],
    steps: [`create ${name} 1.9.0`],
  },
  'KY-94 none for a Kyma in deletion': {
    objects: async () => versions('1.9.0'),
    steps: [],
    of: kyma({ metadata: { deletionTimestamp, finalizers: ['x/y'] } }),
  },
  'KY-94 none for a Kyma that is skipped': {
    objects: async () => versions('1.9.0'),
    steps: [],
    of: kyma({ metadata: labelled('skip-reconciliation', 'True') }),
  },
  'KY-229 none for a Kyma whose name no label can hold': {
    objects: async () => versions('1.9.0'),
    steps: [],
    of: kyma({ metadata: { name: 'k'.repeat(64) } }),
  },
  'KY-94 none for a Kyma of somebody else': {
    objects: async () => versions('1.9.0'),
    steps: [],
    of: kyma({ metadata: labelled('managed-by', 'somebody') }),
  },
  'KY-95 a version that is being deleted is not installed, and its Manifest is left to be deleted': {
    objects: async () => [
      ...versions('1.9.0'),
      mandatoryTemplate('warden', '1.10.0', { metadata: held }),
      await installed('1.10.0'),
    ],
    steps: [],
  },
  'KY-95 while the Manifest goes nothing is written': {
    objects: async () => [...versions('1.9.0'), await installed('1.10.0', { deletionTimestamp, finalizers: ['x/y'] })],
    steps: [],
  },
  'KY-95 the Manifest is gone: the next lower version follows': {
    objects: async () => [...versions('1.9.0'), mandatoryTemplate('warden', '1.10.0', { metadata: held })],
    steps: [`create ${name} 1.9.0`],
  },
  'KY-97 what cannot be installed does not hold up the others': {
    objects: async () => [
      mandatoryTemplate('one', '1.0.0', { spec: { descriptor: { component: null } } }),
      mandatoryTemplate('two', '1.0.0', { spec: { descriptor: { component: { version: 'soon' } } } }),
      mandatoryTemplate('three', '1.0.0', { spec: { moduleName: null } }),
      mandatoryMeta('four', '1.0.0'),
      ...versions('1.9.0'),
    ],
    steps: [`create ${name} 1.9.0`],
  },
  'KY-188 a version with another label managed-by counts for nothing': {
    objects: async () => [
      ...versions('1.9.0'),
      mandatoryTemplate('warden', '3.0.0', { metadata: labelled('managed-by', 'somebody-else') }),
      at(mandatoryMeta('warden', '1.10.0'), { labels: { [`${op}/managed-by`]: 'somebody-else' } }),
    ],
    steps: [`create ${name} 1.9.0`],
  },
  'spec.mandatory alone has no effect': {
    objects: async () => [
      mandatoryTemplate('warden', '1.9.0', {
        metadata: labelled('mandatory-module', 'false'),
        spec: { mandatory: true },
      }),
    ],
    steps: [],
  },
  'what people edited is corrected; what is theirs stays': {
    objects: async () => {
      const { metadata, spec } = await installed('1.9.0')
      const labels = { ...metadata.labels, mine: 'yes', [`${op}/mandatory-module`]: 'no' }
      const manifest = await installed('1.9.0', { labels })
      return [...versions('1.9.0'), { ...manifest, spec: { ...spec, customResourcePolicy: 'Ignore' } } as Manifest]
    },
    steps: [
      `patch ${name} to {"metadata":{"labels":{"${op}/mandatory-module":"true"}},"spec":{"customResourcePolicy":"CreateAndDelete"}}`,
    ],
  },
}

const ownerNamed = (name: string) => ({ ...kymaKind, name, uid: `uid of ${name}`, controller: true })

type Left = { readonly objects?: readonly KubeObject[]; readonly manifest?: Partial<ObjectMeta>; readonly of?: Kyma }

/** A Manifest of 1.10.0, and no ModuleTemplate of this version. */
const leftBehind: Record<string, Left & { readonly goes: boolean }> = {
  'KY-95 nothing is left of the module: its Manifest goes': { goes: true },
  'KY-95 other modules do not hold it': {
    objects: [mandatoryTemplate('keda', '1.10.0', { spec: { moduleName: 'keda', descriptor: { component: null } } })],
    goes: true,
  },
  'KY-95 another version that never was mandatory does not hold it': { objects: [unlabelled('1.9.0')], goes: true },
  'KY-95 another version that was mandatory holds it': {
    objects: [unlabelled('1.9.0', { finalizers: held.finalizers })],
    goes: false,
  },
  'KY-95 so does one that is broken': {
    objects: [mandatoryTemplate('warden', '1.9.0', { spec: { descriptor: { component: null } } })],
    goes: false,
  },
  'KY-95 and one that is broken and names no module': {
    objects: [mandatoryTemplate('x', '1', { spec: { moduleName: null, descriptor: { component: null } } })],
    goes: false,
  },
  'KY-95 and its own version under another name, not ours and without the label': {
    objects: [at(unlabelled('1.10.0'), { name: 'whatever', labels: {} })],
    goes: false,
  },
  'KY-95 and a ModuleReleaseMeta, whoever manages it': {
    objects: [at(mandatoryMeta('warden', '9.0.0'), { labels: {} })],
    goes: false,
  },
  'KY-95 a Manifest in deletion is left alone': { manifest: { deletionTimestamp, finalizers: ['x/y'] }, goes: false },
  'KY-95 one that was edited stays': { manifest: { annotations: {} }, goes: false },
  'KY-95 one that is not labelled as mandatory stays': {
    manifest: {
      labels: { [`${op}/kyma-name`]: 'default-id', [`${op}/module-name`]: 'warden' },
    },
    goes: false,
  },
  'KY-95 one of another Kyma stays': { manifest: { ownerReferences: [ownerNamed('other')] }, goes: false },
  'KY-301 one that was restored before what declares it stays, its owner a former Kyma': {
    of: kyma({ metadata: { uid: 'uid-of-next' } }),
    goes: false,
  },
  'KY-301 and one that was restored without its owner': { manifest: { ownerReferences: [] }, goes: false },
  'KY-95 one of a Kyma that is skipped stays': {
    of: kyma({ metadata: { uid: 'uid-of-kyma', ...labelled('skip-reconciliation', 'true') } }),
    goes: false,
  },
}

for (const [title, { objects = [], manifest, of, goes }] of Object.entries(leftBehind))
  t.test(title, async t => {
    const steps = await stepsFor([...objects, await installed('1.10.0', manifest)], of)
    t.strictSame(steps, goes ? [`delete ${name} 1.10.0`] : [])
  })

t.test('KY-301 it follows once its module is declared', async t => {
  const next = kyma({ metadata: { uid: 'uid-of-next' } })
  const { steps } = await planFor([...versions('1.10.0'), await installed('1.10.0')], next)
  matches(t, steps, [{ do: 'patch', merge: { metadata: { ownerReferences: [{ uid: 'uid-of-next' }] } } }])
})

t.test('KY-95 a call that read a version before its deletion takes back what it made after it', async t => {
  const world = new SimulatedWorld(versions('1.10.0'))
  const pass = async () =>
    decide(
      await gather(theKyma, { reads: world.reads, settings, memory: processMemory(), clusters: unreached }, noRegistry),
    )
  const perform = ({ steps }: Plan) => steps.map(step => `${stepText(step)}: ${world.perform(step)}`)
  const slow = await pass()
  for (const template of versions('1.10.0')) world.delete(refOf(template as KubeObject))
  t.strictSame(perform(slow), [`create ${name} 1.10.0: true`])
  const late = await pass()
  t.strictSame(perform(late), [`delete ${name} 1.10.0: true`])
  t.strictSame(world.objects, [])
})

t.test('KY-95 a version and its Manifest that come while a call reads are not taken for one that is gone', async t => {
  const world = new SimulatedWorld([])
  const coming = [...versions('1.10.0'), await installed('1.10.0')]
  const list: typeof world.reads.list = query => {
    const answer = world.reads.list(query)
    for (const object of coming.splice(0)) world.put(object)
    return answer
  }
  const { steps } = decide(
    await gather(
      theKyma,
      { reads: { ...world.reads, list }, settings, memory: processMemory(), clusters: unreached },
      noRegistry,
    ),
  )
  t.strictSame(steps.map(stepText), [])
})

t.test(
  'KY-265 the Manifest of a version whose component had another name goes once the new one lists objects',
  async t => {
    const component = { name: 'kyma-project.io/module/warden-operator', version: '1.11.0' }
    const renamed = mandatoryTemplate('warden', '1.11.0', { spec: { descriptor: { component } } })
    const [before, ...others] = [
      await installed('1.10.0'),
      mandatoryTemplate('other', '1.0.0'),
      renamed,
      ...versions('1.10.0'),
    ]
    const [other, created] = (await planFor([before, ...others])).steps.map(step =>
      step.do === 'create' ? step.object : undefined,
    )
    if (!created || !other) throw new Error('nothing is created')
    t.not(created.metadata.name, name)
    const synced = [{ group: '', version: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'x' }]
    const listing = { ...created, status: { state: 'Processing', synced } }
    const all = [...others, other]
    t.strictSame(await stepsFor([...all, before, created]), [], 'it would take all objects along')
    t.strictSame(await stepsFor([...all, before, listing]), [`delete ${name} 1.10.0`])
    const edited = {
      ...before,
      metadata: { ...before.metadata, labels: { ...before.metadata.labels, [`${op}/mandatory-module`]: 'false' } },
    }
    t.strictSame(await stepsFor([...all, edited, listing]), [])
    const going = { ...listing, metadata: { ...listing.metadata, deletionTimestamp, finalizers: ['x'] } }
    t.strictSame(await stepsFor([...all, before, going]), [], 'the new one goes, too')
  },
)

for (const [title, { objects, steps, of }] of Object.entries(cases))
  t.test(title, async t => {
    t.strictSame(await stepsFor(await objects(), of), steps)
  })

t.test('a Manifest that lost the label of the Kyma is found by its name', async t => {
  const owned = await installed('1.9.0')
  const manifest = at(owned, { labels: { [`${op}/module-name`]: 'warden' } })
  const { reads } = new SimulatedWorld([...versions('1.9.0'), manifest])
  const list: typeof reads.list = async query => (query.labelSelector ? [] : reads.list(query))
  const { steps } = decide(
    await gather(
      theKyma,
      { reads: { ...reads, list }, settings, memory: processMemory(), clusters: unreached },
      noRegistry,
    ),
  )
  matches(t, steps, [{ do: 'patch', merge: { metadata: { labels: { [`${op}/kyma-name`]: 'default-id' } } } }])
})

t.test('a Manifest of somebody else that is in the way is not touched, and the Kyma says so', async t => {
  const owned = await installed('1.9.0')
  const [owner] = owned.metadata.ownerReferences ?? []
  const inTheWay: Record<string, Partial<ObjectMeta>> = {
    'of another Kyma': { ownerReferences: [{ ...owner, name: 'other', uid: 'uid-of-other' } as never] },
    'of another manager': { labels: { ...owned.metadata.labels, [`${op}/managed-by`]: 'somebody' } },
    'of another module': { labels: { ...owned.metadata.labels, [`${op}/module-name`]: 'other' }, annotations: {} },
  }
  for (const [whose, metadata] of Object.entries(inTheWay)) {
    const plan = await planFor([
      ...versions('1.10.0'),
      at(owned, { uid: 'u', ...metadata }),
      mandatoryMeta('any', '1.0.0'),
    ])
    t.strictSame(plan.steps, [], whose)
    matches(t, plan.next, {
      is: 'stalled',
      reason: /mandatory module warden is not installed: Manifest kcp-system\/.* belongs to/,
    })
    matches(t, plan.events, [{ type: 'Warning', reason: 'MandatoryModuleNotInstalled', occasion: 'u' }], whose)
  }
})

t.test('KY-93 what concerns mandatory modules calls all Kymas, and nothing else does', async t => {
  const others = [kyma({ metadata: { name: 'a' } }), kyma({ metadata: { name: 'b' } })]
  const plain = (version: string) =>
    mandatoryTemplate('warden', version, { metadata: labelled('mandatory-module', null) })
  const channels = moduleReleaseMeta({ metadata: { name: 'warden' }, spec: { moduleName: 'warden' } })
  const calls = async (object: KubeObject, ...objects: KubeObject[]): Promise<string> =>
    (await kymasToCall(object, { reads: new SimulatedWorld([...others, ...objects]).reads, settings }))
      .map(key => key.name)
      .join()
  t.equal(await calls(mandatoryTemplate('warden', '1.0.0')), 'a,b', 'a labelled version')
  t.equal(await calls(plain('1.0.0')), '', 'one that is not labelled')
  t.equal(await calls(plain('1.0.0'), mandatoryMeta('warden', '1.0.0')), 'a,b', 'unless it is in use')
  t.equal(await calls(at(plain('1.0.0'), held)), 'a,b', 'or was mandatory before')
  t.equal(await calls(mandatoryMeta('warden', '1.0.0')), 'a,b', 'a mandatory ModuleReleaseMeta')
  t.equal(await calls(channels), '', 'one with channels')
  t.equal(await calls(channels, mandatoryTemplate('warden', '1.0.0')), 'a,b', 'unless it decides over a labelled one')
  t.equal(await calls(at(channels, held)), 'a,b', 'or was mandatory before')
  const secret = { ...keys(), metadata: { name: 'key', namespace: 'kcp-system', ...labelled('signature', 'release') } }
  t.equal(await calls(secret as KubeObject, plain('1.0.0')), '', 'keys that verify nothing')
  t.equal(await calls(secret as KubeObject, signedTemplate({})), 'a,b', 'keys that verify a module')
})

t.test('KY-91 the descriptor of a ModuleReleaseMeta may lie in the registry', async t => {
  const bare = mandatoryTemplate('warden', '1.0.0', { spec: { descriptor: { component: null } } })
  const named = mandatoryMeta('warden', '1.0.0')
  const meta = { ...named, spec: { ...named.spec, ocmComponentName: 'kyma-project.io/module/warden' } }
  const failed = await planFor([bare, meta])
  t.strictSame(failed.steps, [])
  matches(t, failed.next, { is: 'failed', seconds: 30, reason: 'this process is not configured to pull artifacts' })
  matches(t, failed.events, [
    {
      reason: 'MandatoryModuleNotInstalled',
      message: 'this process is not configured to pull artifacts',
      regarding: { kind: 'ModuleTemplate' },
    },
  ])
  const layer = await descriptorTar({ component: { name: 'kyma-project.io/module/warden', version: '1.0.0' } })
  const call = { ...noRegistry, componentLayer: async () => ({ read: layer }) }
  t.strictSame((await planFor([bare, meta], theKyma, { call })).steps.map(stepText), [`create ${name} 1.0.0`])
})

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
const keys = () => ({
  apiVersion: 'v1',
  kind: 'Secret',
  data: { key: Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64') },
})
const plainDescriptor = { meta: {}, component: { name: 'kyma-project.io/module/warden', version: '1.0.0' } }
const signedDescriptor = () => {
  const text = normalisedText(plainDescriptor, 'jsonNormalisation/v3') ?? ''
  const value = createHash('sha256').update(text).digest('hex')
  const digest = { hashAlgorithm: 'SHA-256', normalisationAlgorithm: 'jsonNormalisation/v3', value }
  const signature = {
    algorithm: 'RSASSA-PKCS1-V1_5',
    mediaType: 'application/vnd.ocm.signature.rsa',
    value: sign('sha256', Buffer.from(text), privateKey).toString('hex'),
  }
  return { ...plainDescriptor, signatures: [{ name: 'release', digest, signature }] }
}
const signedTemplate = (descriptor: object) =>
  mandatoryTemplate('warden', '1.0.0', {
    metadata: labelled('signature', 'release'),
    spec: { descriptor: descriptor as never },
  })

t.test('a mandatory module that must be signed is installed only if it is', async t => {
  const secret = { ...keys(), metadata: { name: 'key', namespace: 'kcp-system', ...labelled('signature', 'release') } }
  const refused = await planFor([signedTemplate(plainDescriptor), secret as KubeObject])
  t.strictSame(refused.steps, [])
  matches(t, refused.next, { is: 'stalled', reason: 'could not verify signature: no signature was found' })
  matches(t, refused.events, [{ reason: 'MandatoryModuleNotInstalled', regarding: { kind: 'ModuleTemplate' } }])
  t.strictSame((await planFor([signedTemplate(signedDescriptor())])).steps, [], 'without keys')
  const good = await planFor([signedTemplate(signedDescriptor()), secret as KubeObject])
  t.strictSame(good.steps.map(stepText), [`create ${name} 1.0.0`])
})
