// Which ModuleTemplate a module means, and what its entry says when there is none.
import t from 'tap'
import type { World } from '../../../functions/kyma/world.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { Kyma, Manifest, ModuleReleaseMeta } from '../../../shared/kyma/kinds.ts'
import { contains, matches } from '../../harness/matches.ts'
import { moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import { kymaWorld, listing, ownKyma, passOf, settledWorld } from '../../make/kyma/kyma-world.ts'

const telemetry = { name: 'telemetry' }

const entriesOf = (world: World) => (passOf(world).status as { modules: object[] }).modules

t.test('KY-20 a module is installed in the version that its channel has', async t => {
  const world = kymaWorld({ kyma: listing(telemetry), templates: [moduleTemplate()], metas: [moduleReleaseMeta()] })
  const { steps, status } = passOf(world)
  const name = 'default-id-telemetry-812080235'
  matches(t, steps, [{ do: 'create', object: { kind: 'Manifest', metadata: { name }, spec: { version: '1.2.3' } } }])
  const component = 'kyma-project.io/module/telemetry'
  matches(t, status, {
    modules: [
      {
        name: 'telemetry',
        channel: 'regular',
        version: '1.2.3',
        fqdn: component,
        ocmComponentName: component,
        template: { kind: 'ModuleTemplate', metadata: { name: 'telemetry-1.2.3', namespace: 'kcp-system' } },
        manifest: { kind: 'Manifest', metadata: { name, namespace: 'kcp-system', generation: 1 } },
      },
    ],
  })
})

t.test('KY-21 the channel of the module counts before that of the Kyma', async t => {
  const channels = [
    { channel: 'regular', version: '1.2.3' },
    { channel: 'fast', version: '1.3.0' },
  ]
  const templates = ['1.2.3', '1.3.0'].map(version =>
    moduleTemplate({ metadata: { name: `telemetry-${version}` }, spec: { descriptor: { component: { version } } } }),
  )
  const given = { templates, metas: [moduleReleaseMeta({ spec: { channels } })] }
  matches(t, entriesOf(kymaWorld({ ...given, kyma: listing(telemetry) })), [{ channel: 'regular', version: '1.2.3' }])
  const fast = listing({ ...telemetry, channel: 'fast' })
  matches(t, entriesOf(kymaWorld({ ...given, kyma: fast })), [{ channel: 'fast', version: '1.3.0' }])
})

/** `name state: message` of each module. */
const told = (world: World): string[] =>
  (passOf(world).status as { modules: { name: string; state: string; message?: string }[] }).modules.map(
    ({ name, state, message }) => `${name} ${state}: ${message ?? ''}`,
  )

const installs = (world: World): string[] =>
  passOf(world).steps.flatMap(step => (step.do === 'create' ? [(step.object as Manifest).spec.version ?? ''] : []))

t.test('KY-22 a release without the channel, or without any, is an Error that names both', async t => {
  const slow = moduleReleaseMeta({ spec: { channels: [{ channel: 'slow', version: '1.2.3' }] } })
  const mandatory = moduleReleaseMeta({ spec: { channels: null, mandatory: { version: '1.2.3' } } as never })
  const given = { kyma: listing(telemetry), templates: [moduleTemplate()] }
  t.strictSame(told(kymaWorld({ ...given, metas: [slow] })), [
    'telemetry Error: no versions found for channel: regular in module telemetry',
  ])
  t.strictSame(told(kymaWorld({ ...given, metas: [mandatory] })), [
    'telemetry Error: no channels found for module: telemetry',
  ])
})

t.test('KY-23 a release of a version that has no ModuleTemplate waits for it', async t => {
  const given = { kyma: listing(telemetry), metas: [moduleReleaseMeta()] }
  const missing = passOf(kymaWorld(given))
  t.strictSame(told(kymaWorld(given)), [
    'telemetry Error: failed to get module template: ModuleTemplate.operator.kyma-project.io "telemetry-1.2.3" not found',
  ])
  matches(t, missing.next, { is: 'waiting' }, 'and is asked again, whatever the watches say')
  t.strictSame(installs(kymaWorld({ ...given, templates: [moduleTemplate()] })), ['1.2.3'])
})

t.test('KY-24 without a release the ModuleTemplate of the module and channel is used', async t => {
  const descriptor = { component: { name: 'kyma-project.io/module/telemetry', version: 'v0.9.0' } }
  const labelled = moduleTemplate({
    metadata: { name: 'any-name', labels: { 'operator.kyma-project.io/module-name': 'telemetry' } },
    spec: { channel: 'regular', moduleName: 'otherwise', descriptor },
  })
  t.strictSame(installs(kymaWorld({ kyma: listing(telemetry), templates: [labelled] })), ['v0.9.0'])
  const named = moduleTemplate({ metadata: { name: 'any-name' }, spec: { channel: 'regular', descriptor } })
  t.strictSame(installs(kymaWorld({ kyma: listing(telemetry), templates: [named] })), ['v0.9.0'])
  const ofOther = listing({ name: 'otherwise' })
  t.strictSame(installs(kymaWorld({ kyma: ofOther, templates: [labelled] })), [], 'the label counts before the field')
  const fast = moduleTemplate({ metadata: { name: 'any-name' }, spec: { channel: 'fast' } })
  t.strictSame(installs(kymaWorld({ kyma: listing(telemetry), templates: [fast] })), [])
})

t.test('KY-25 a name that nothing fits is a Warning from the first pass, and its siblings are installed', async t => {
  const names = ['kyma-system/telemetry', 'kyma-project.io/module/telemetry', 'Telemetry']
  const kyma = listing(...names.map(name => ({ name })), telemetry)
  const world = kymaWorld({ kyma, templates: [moduleTemplate()], metas: [moduleReleaseMeta()] })
  t.strictSame(told(world), [
    ...names.map(name => `${name} Warning: no templates were found: for module ${name} in channel regular`),
    'telemetry Processing: ',
  ])
  t.strictSame(installs(world), ['1.2.3'])
  matches(t, passOf(world).status, { state: 'Warning' })
})

const inChannel = (name: string, change: Parameters<typeof moduleTemplate>[0] = {}) =>
  moduleTemplate({ ...change, metadata: { ...change.metadata, name }, spec: { ...change.spec, channel: 'regular' } })

t.test('KY-26 several that fit are an Error for people, which names them in order', async t => {
  const fast = moduleTemplate({ metadata: { name: 'another' }, spec: { channel: 'fast' } })
  const world = kymaWorld({ kyma: listing(telemetry), templates: [inChannel('b'), fast, inChannel('a')] })
  t.strictSame(told(world), [
    'telemetry Error: no unique template could be identified: more than one module template found for module: telemetry, candidates: [a b]',
  ])
  matches(t, passOf(world).next, { is: 'stalled' })
})

t.test('KY-27 the channel none is for no module, and for no Kyma', async t => {
  const given = { templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }
  const entry = kymaWorld({ ...given, kyma: listing({ ...telemetry, channel: 'none' }) })
  t.strictSame(told(entry), [
    'telemetry Error: invalid configuration in Kyma spec.modules for module telemetry: Channel "none" is not allowed',
  ])
  matches(t, passOf(entry).next, { is: 'stalled' })
  const spec = { channel: 'none', modules: [telemetry] }
  const whole = passOf(kymaWorld({ ...given, kyma: ownKyma({ spec }) }))
  const lastOperation = { operation: 'invalid kyma spec: value "none" is not allowed in spec.channel' }
  matches(t, whole, {
    steps: [],
    next: { is: 'stalled' },
    status: { state: 'Error', lastOperation, conditions: [{ type: 'Modules', status: 'Unknown' }] },
  })
})

t.test('KY-28 a controller restricts the choice to ModuleTemplates that carry its name', async t => {
  const named = { metadata: { labels: { 'operator.kyma-project.io/controller-name': 'mine' } } }
  const mine = listing({ ...telemetry, controller: 'mine' })
  const templates = [inChannel('a'), inChannel('b', named)]
  const name = (world: World) => (entriesOf(world)[0] as { template?: { metadata: { name: string } } }).template
  matches(t, name(kymaWorld({ kyma: mine, templates })), { metadata: { name: 'b' } })
  const none = 'telemetry Warning: no templates were found: for module telemetry in channel regular'
  t.strictSame(told(kymaWorld({ kyma: mine, templates: [inChannel('a')] })), [none])
  const released = { kyma: mine, metas: [moduleReleaseMeta()] }
  t.strictSame(told(kymaWorld({ ...released, templates: [moduleTemplate()] })), [none])
  t.strictSame(installs(kymaWorld({ ...released, templates: [moduleTemplate(named)] })), ['1.2.3'])
})

const on = (...names: readonly string[]) =>
  Object.fromEntries(names.map(name => [`operator.kyma-project.io/${name}`, 'True']))

t.test('KY-29 internal and beta modules are for Kymas that are labelled so', async t => {
  const cases: [template: string[], kyma: string[], fault?: string][] = [
    [['internal'], [], 'internal module'],
    [['internal'], ['beta'], 'internal module'],
    [['internal'], ['internal']],
    [['beta'], [], 'beta module'],
    [['beta'], ['beta']],
    [['internal', 'beta'], ['internal'], 'beta module'],
    [
      ['internal', 'beta'],
      ['internal', 'beta'],
    ],
    [[], ['internal', 'beta']],
  ]
  for (const [template, labels, fault] of cases) {
    const kyma = ownKyma({ metadata: { labels: on(...labels) }, spec: { modules: [telemetry] } })
    const templates = [moduleTemplate({ metadata: { labels: on(...template) } })]
    const world = kymaWorld({ kyma, templates, metas: [moduleReleaseMeta()] })
    const expected = fault ? `Error: module template not allowed: ${fault}` : 'Processing: '
    t.strictSame(told(world), [`telemetry ${expected}`], `${template} for ${labels}`)
    t.strictSame(installs(world), fault ? [] : ['1.2.3'])
  }
})

t.test('KY-29 a module that is installed and not allowed any more goes, and its entry is new', async t => {
  const given = { templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }
  const installed = settledWorld(kymaWorld({ ...given, kyma: listing(telemetry) }))
  const hidden = { templates: [moduleTemplate({ metadata: { labels: on('beta') } })], metas: given.metas }
  const { steps, status } = passOf({ ...installed, catalogue: hidden })
  matches(t, steps, [{ do: 'delete', target: { kind: 'Manifest' } }])
  t.strictSame((status as { modules: object[] }).modules, [
    {
      name: 'telemetry',
      channel: 'regular',
      state: 'Error',
      maintenance: false,
      message: 'module template not allowed: beta module',
    },
  ])
})

t.test('KY-30 mandatory modules are not installed because a Kyma lists them', async t => {
  const label = moduleTemplate({ metadata: { labels: on('mandatory-module') } })
  const field = moduleTemplate({ spec: { mandatory: true } })
  for (const template of [label, field])
    t.strictSame(told(kymaWorld({ kyma: listing(telemetry), templates: [template], metas: [moduleReleaseMeta()] })), [
      'telemetry Warning: no templates were found: for module telemetry in channel regular',
    ])
})

t.test('KY-31 KY-320 a restricted module is for the Kymas alone that its release selects', async t => {
  const region = { 'kyma-project.io/region': 'europe' }
  const selecting = moduleReleaseMeta({ spec: { kymaSelector: { matchLabels: region } } })
  const empty = moduleReleaseMeta({ spec: { kymaSelector: {} } })
  const expressing = (operator: string, values?: string[]) =>
    moduleReleaseMeta({
      spec: { kymaSelector: { matchExpressions: [{ key: 'kyma-project.io/region', operator, values }] } },
    })
  const unparsed = ': failed to parse kymaSelector on ModuleReleaseMeta: '
  const notForThis = ': restricted module not allowed for this Kyma'
  const notListed = ': module has kymaSelector but is not in restricted modules list'
  type Case = [restricted: string[], meta: ModuleReleaseMeta, labels: Record<string, string>, why?: string]
  const cases: Case[] = [
    [['telemetry'], selecting, region],
    [['telemetry'], selecting, { 'kyma-project.io/region': 'asia' }, notForThis],
    [['telemetry'], empty, region, notForThis],
    [['telemetry'], moduleReleaseMeta(), region, ''],
    [['telemetry'], expressing('In', ['europe']), region],
    [['telemetry'], expressing('Is', ['europe']), region, `${unparsed}"Is" is not a valid label selector operator`],
    [['telemetry'], expressing('In', ['a/b']), region, `${unparsed}"a/b" is not a valid label value`],
    [['telemetry'], expressing('Gt', ['1']), region, `${unparsed}"Gt" is not a valid label selector operator`],
    [
      ['telemetry'],
      expressing('NotIn'),
      region,
      `${unparsed}values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty`,
    ],
    [
      ['telemetry'],
      expressing('Exists', ['europe']),
      region,
      `${unparsed}values: Invalid value: ["europe"]: values set must be empty for exists and does not exist`,
    ],
    [['keda'], selecting, region, notListed],
    [['keda'], empty, region, notListed],
    [['keda'], moduleReleaseMeta(), region],
  ]
  for (const [restricted, meta, labels, why] of cases) {
    const kyma = ownKyma({ metadata: { labels }, spec: { modules: [telemetry] } })
    const world = kymaWorld({
      kyma,
      templates: [moduleTemplate()],
      metas: [meta],
      settings: { restrictedModules: restricted },
    })
    t.strictSame(installs(world), why === undefined ? ['1.2.3'] : [])
    if (why !== undefined) t.equal(told(world)[0], `telemetry Error: module template not allowed${why}`)
  }
  const allowed = kymaWorld({
    kyma: ownKyma({ metadata: { labels: region }, spec: { modules: [telemetry] } }),
    templates: [moduleTemplate()],
    metas: [selecting],
    settings: { restrictedModules: ['telemetry'] },
  })
  const installed = settledWorld(allowed)
  const elsewhere = { metadata: { labels: { 'kyma-project.io/region': 'asia' } } }
  const moved = { ...installed, kyma: mergePatched(installed.kyma, elsewhere) as Kyma }
  matches(t, passOf(moved).steps, [{ do: 'delete', target: { kind: 'Manifest' } }], 'an installed one goes')
})

t.test('KY-32 a release that appears decides from then on, but not back to a lower version', async t => {
  const templates = [
    moduleTemplate(),
    inChannel('found', { spec: { descriptor: { component: { version: '1.2.0' } } } }),
  ]
  const found = settledWorld(kymaWorld({ kyma: listing(telemetry), templates }))
  matches(t, found.kyma.status?.modules, [{ version: '1.2.0' }])
  const released = settledWorld({ ...found, catalogue: { templates, metas: [moduleReleaseMeta()] } })
  matches(t, released.kyma.status?.modules, [{ version: '1.2.3' }])
  matches(t, released.manifests, [{ spec: { version: '1.2.3' } }])
  const without = settledWorld({ ...released, catalogue: { templates, metas: [] } })
  matches(t, without.kyma.status?.modules, [{ version: '1.2.3', state: 'Warning' }])
  matches(t, without.manifests, [{ spec: { version: '1.2.3' } }])
})

t.test('KY-188 what carries another name counts as absent, and what carries none does not', async t => {
  const given = { kyma: listing(telemetry), templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }
  const unnamed = { metadata: { labels: { 'operator.kyma-project.io/managed-by': null } as never } }
  const bare = { ...given, templates: [moduleTemplate(unnamed)], metas: [moduleReleaseMeta(unnamed)] }
  t.strictSame(installs(kymaWorld(bare)), ['1.2.3'])
  for (const name of ['kyma', '']) {
    const other = { metadata: { labels: { 'operator.kyma-project.io/managed-by': name } as never } }
    const noTemplate = kymaWorld({ ...given, templates: [moduleTemplate(other)] })
    contains(t, told(noTemplate)[0], 'telemetry Error: failed to get module template')
    const noMeta = kymaWorld({ ...given, metas: [moduleReleaseMeta(other)] })
    contains(t, told(noMeta)[0], 'telemetry Warning: no templates were found')
  }
})

t.test('KY-201 a release is found by its name, whatever module it says it is of', async t => {
  const misnamed = moduleReleaseMeta({ spec: { moduleName: 'keda' } })
  const given = { templates: [moduleTemplate()], metas: [misnamed] }
  t.strictSame(installs(kymaWorld({ ...given, kyma: listing(telemetry) })), ['1.2.3'])
  t.strictSame(installs(kymaWorld({ ...given, kyma: listing({ name: 'keda' }) })), [])
})

const component = (change: object) => ({
  component: { name: 'kyma-project.io/module/telemetry', version: '1.2.3', ...change },
})
const context = { type: 'OCIRegistry', baseUrl: 'registry.example', componentNameMapping: 'urlPath' }
const layer = (access: object) => ({ repositoryContexts: [context], resources: [{ name: 'raw-manifest', access }] })

t.test('KY-33 KY-35 a descriptor that cannot be used is named, and what is installed stays', async t => {
  const metas = [moduleReleaseMeta()]
  const given = { kyma: listing(telemetry), metas }
  const installed = settledWorld(kymaWorld({ ...given, templates: [moduleTemplate()] }))
  const cases: [descriptor: object, text: string][] = [
    [component({ version: null }), 'component descriptor has no component.version'],
    [component({ provider: 'x'.repeat(100 * 1024) }), 'component descriptor has more than 102400 bytes'],
    [
      component(layer({ type: 'helmChart', localReference: `sha256:${'0'.repeat(64)}` })),
      'resource raw-manifest has the unknown access type "helmChart"',
    ],
    [
      component(layer({ type: 'localBlob', localReference: 'latest' })),
      'resource raw-manifest has the reference "latest", which is not a digest',
    ],
    [
      component({ repositoryContexts: [{ ...context, componentNameMapping: 'rot13' }] }),
      'component descriptor has the unknown componentNameMapping "rot13"',
    ],
  ]
  for (const [descriptor, text] of cases) {
    const template = moduleTemplate()
    const templates = [{ ...template, spec: { ...template.spec, descriptor: descriptor as never } }]
    const world = { ...installed, catalogue: { templates, metas } }
    t.strictSame(told(world), [`telemetry Error: ${text}`])
    t.strictSame(passOf(world).steps, [], 'the Manifest stays')
    matches(t, passOf(world).status, { modules: [{ version: '1.2.3', manifest: { kind: 'Manifest' } }] })
  }
})

t.test('a module with layers says that no registry is set', async t => {
  const template = moduleTemplate({
    spec: { descriptor: component(layer({ type: 'localBlob', localReference: `sha256:${'0'.repeat(64)}` })) },
  })
  const given = { kyma: listing(telemetry), metas: [moduleReleaseMeta()], templates: [template] }
  const message = 'the layers of the module cannot be pulled: set the registry'
  const pass = passOf(kymaWorld({ ...given, settings: { registry: undefined } }))
  matches(t, pass, { steps: [], status: { modules: [{ state: 'Error', message }] } })
  matches(t, passOf(kymaWorld(given)).steps, [{ do: 'create' }])
})
