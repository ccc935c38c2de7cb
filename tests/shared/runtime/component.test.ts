// A definition of a component, before any cluster is asked: what is refused, what configuration means, generators and what
// is laid around them, and how rendering asks its questions.
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { writable } from '../../../shared/kube/clusters/read-only.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { rendererHere } from '../../../shared/main/own/renderer-here.ts'
import { drawFrom } from '../../../shared/render/draw.ts'
import { type Findings, type Lookup, lookupKey, type Render } from '../../../shared/render/generator.ts'
import { helm } from '../../../shared/render/helm/helm.ts'
import { type Order, renderOf } from '../../../shared/render/order.ts'
import { componentCall } from '../../../shared/runtime/component/call.ts'
import { configurationOf } from '../../../shared/runtime/component/configuration/configuration.ts'
import type {
  ComponentDefinition,
  Generator,
  GeneratorContext,
  Hooks,
} from '../../../shared/runtime/component/definition/definition.ts'
import { engineOf, engineOptions } from '../../../shared/runtime/component/definition/engine.ts'
import { gather } from '../../../shared/runtime/component/gather.ts'
import { passScope } from '../../../shared/runtime/component/pass-scope.ts'
import { reach, referring } from '../../../shared/runtime/component/reach.ts'
import { sharingInNamespace } from '../../../shared/runtime/component/reads/shared.ts'
import { readReferences } from '../../../shared/runtime/component/references/references.ts'
import { noSecrets } from '../../../shared/runtime/component/references/secrecy.ts'
import { keptManifests } from '../../../shared/runtime/component/rendering/kept-manifests.ts'
import { generatedManifests, rendered } from '../../../shared/runtime/component/rendering/manifests.ts'
import { renderedObjects } from '../../../shared/runtime/component/rendering/rendering.ts'
import type { EngineWorld } from '../../../shared/runtime/component/world.ts'
import {
  component,
  kustomizeObjects,
  rendering,
  substitute,
  templateParameters,
  transformable,
} from '../../../shared/runtime/component.ts'
import { type BegunCall, begunCall } from '../../../shared/runtime/context.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import type { Renderer } from '../../../shared/runtime/renderer/renderer.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { callOf } from '../../harness/component/orchards.ts'
import { matches, rejects, throws } from '../../harness/matches.ts'
import { chart } from '../../make/component/chart.ts'
import { renderWork } from '../../make/component/render-work.ts'

const kind = { group: 'example.io', version: 'v1', kind: 'Shop', plural: 'shops' }
const definition: ComponentDefinition = { name: 'shop.example.io', kind, generator: () => [] }

const shop = (more: JsonMap = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'example.io/v1',
  kind: 'Shop',
  metadata: { name: 'cart', namespace: 'shop', ...metadata },
  ...more,
})

const configMap = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop' },
  data,
})

t.test('CO-01 CO-02 a definition, and what is none: the field is named', async t => {
  matches(t, component(definition), {
    name: 'shop',
    kind: { apiVersion: 'example.io/v1', kind: 'Shop' },
    fieldManager: 'shop.example.io',
    requestsInFlight: 16,
  })
  matches(t, component({ ...definition, options: { fieldOwner: 'clerk' } }), { fieldManager: 'clerk' })
  const wrong: [field: RegExp, change: object][] = [
    [/name/, { name: undefined }],
    [/name/, { name: 'Shop!' }],
    [/kind\.plural/, { kind: { ...kind, plural: undefined } }],
    [/generator/, { generator: 'helm' }],
    [/options\.colour/, { options: { colour: 'red' } }],
    [/options\.requestsInFlight/, { options: { requestsInFlight: -1 } }],
    [/options\.reapplyInterval/, { options: { reapplyInterval: 'often' } }],
    [/options\.updatePolicy/, { options: { updatePolicy: 'Patch' } }],
    [/options\.references/, { options: { references: [{ path: 'spec.x' }] } }],
    [/options\.configuration/, { options: { configuration: { colour: () => ({}) } } }],
    [/hooks\.preRead/, { hooks: { preRead: [] } }],
  ]
  for (const [field, change] of wrong)
    throws(t, () => component({ ...definition, ...change } as ComponentDefinition), { message: field }, String(field))
})

const configuredOf = (object: KubeObject, inCode = {}) => {
  const options = engineOptions('shop.example.io', { configuration: inCode })
  const configured = configurationOf(object, options)
  return 'configuration' in configured ? configured.configuration : configured.faults
}

t.test('CO-05 CO-07 configuration: from the component, else its spec, interface by interface', async t => {
  matches(t, configuredOf(shop()), {
    deploymentNamespace: 'shop',
    deploymentName: 'cart',
    isSuspended: false,
    requeueSeconds: 600,
    retrySeconds: 600,
    timeoutSeconds: 600,
    additionalManagedTypes: [],
  })
  matches(t, configuredOf(shop({ spec: { requeueInterval: '7m' } })), {
    requeueSeconds: 420,
    retrySeconds: 420,
    timeoutSeconds: 420,
  })
  const both = shop({
    deploymentName: 'own',
    spec: { deploymentNamespace: 'theirs', deploymentName: 'theirs', timeout: '90s' },
  })
  matches(
    t,
    configuredOf(both),
    { deploymentName: 'own', deploymentNamespace: 'shop', timeoutSeconds: 90 },
    'the whole interface',
  )
  const inCode = { placement: () => ({ deploymentName: 'code' }), client: () => ({ kubeConfig: 'text' }) }
  matches(t, configuredOf(both, inCode), { deploymentName: 'code', kubeConfig: { text: 'text' } })
  matches(
    t,
    configuredOf(shop({ spec: { updatePolicy: 'ssa-merge', deletePolicy: 'Orphan', adoptionPolicy: 'if-unowned' } })),
    {
      updatePolicy: 'SsaMerge',
      deletePolicy: 'Orphan',
      adoptionPolicy: 'IfUnowned',
    },
  )
  matches(t, configuredOf(shop({ spec: { serviceAccountName: 'x' } })), {
    identity: { here: { user: 'system:serviceaccount:shop:x', groups: [] } },
  })
  matches(
    t,
    configuredOf(shop({ spec: { timeout: '', suspend: null } })),
    { timeoutSeconds: 600, isSuspended: false },
    'empty',
  )
})

t.test('CO-06 what is not as it should be is named with its value', async t => {
  const wrong: [spec: JsonMap, sentence: RegExp][] = [
    [{ timeout: 'soon' }, /spec\.timeout.*"soon"/],
    [{ requeueInterval: '10ms' }, /spec\.requeueInterval.*"10ms", not a duration of at least 1s/],
    [{ updatePolicy: 'Patch' }, /spec\.updatePolicy.*"Patch"/],
    [{ deletePolicy: 'orphan-on-apply' }, /spec\.deletePolicy/],
    [{ suspend: 'yes' }, /spec\.suspend.*"yes"/],
    [{ kubeConfig: 'apiVersion: v1' }, /spec\.kubeConfig/],
    [{ additionalManagedTypes: [{ group: 'x' }] }, /spec\.additionalManagedTypes/],
    [{ impersonationGroups: 'all' }, /spec\.impersonationGroups/],
  ]
  for (const [spec, sentence] of wrong) matches(t, configuredOf(shop({ spec })), [sentence], String(sentence))
})

const context = {
  componentNamespace: 'shop',
  componentName: 'cart',
  render: async ({ recipe }: Order, { parameters }: { parameters: JsonMap }) => {
    const rendering = renderOf(recipe)({ found: new Map() } as never, parameters)
    return 'objects' in rendering ? [...rendering.objects] : []
  },
} as unknown as GeneratorContext

const generated = async (generator: Generator, parameters: JsonMap = {}) =>
  generator(context, 'shop', 'cart', parameters)

/** As texts ask for a value. */
const named = (name: string): string => ['$', '{', name, '}'].join('')

t.test('CO-14 transformers run in order around the generator', async t => {
  const echo: Generator = (_context, _namespace, _name, { text }) => [configMap('a', { text: String(text) })]
  const append = (letter: string) => (parameters: JsonMap) => ({ ...parameters, text: `${parameters.text}${letter}` })
  const rename = (suffix: string) => (objects: readonly KubeObject[]) =>
    objects.map(object => ({ ...object, metadata: { ...object.metadata, name: `${object.metadata.name}${suffix}` } }))
  const around = transformable(echo)
    .withParameters(append('1'))
    .withParameters(append('2'))
    .withObjects(rename('-x'))
    .withObjects(rename('-y'))
  matches(t, await generated(around, { text: '0' }), [{ metadata: { name: 'a-x-y' }, data: { text: '012' } }])
  matches(
    t,
    await generated(
      transformable(echo).withParameters(
        templateParameters('text: {{ .a | upper }}-{{ .b }} in {{ .Namespace }}/{{ .Name }}'),
      ),
      { a: 'x', b: 1 },
    ),
    [{ data: { text: 'X-1 in shop/cart' } }],
  )
  const list = [configMap('a', { host: `${named('HOST')}/${named('OTHER')}` }), configMap('b', { host: named('HOST') })]
  const only = substitute({ HOST: 'example.io' }, ({ metadata }) => metadata.name === 'a')
  matches(t, await generated(transformable(() => list).withObjects(only)), [
    { data: { host: `example.io/${named('OTHER')}` } },
    { data: { host: named('HOST') } },
  ])
  const patch = {
    target: { kind: 'ConfigMap', name: 'b' },
    patch: '[{"op": "add", "path": "/data/more", "value": "yes"}]',
  }
  const patched = await generated(transformable(() => list).withObjects(kustomizeObjects({ patches: [patch] })))
  t.strictSame(
    patched.map(({ data }) => (data as JsonMap).more),
    [undefined, 'yes'],
  )
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'web:1' }] },
  }
  const imaged = kustomizeObjects({ images: [{ name: 'web', newTag: '2' }] })
  matches(t, await generated(transformable(() => [pod]).withObjects(imaged)), [
    { spec: { containers: [{ image: 'web:2' }] } },
  ])
  throws(t, () => kustomizeObjects({ patches: [{ patch: '[]' }] }), { message: /target/ })
})

t.test('A8 what is drawn is the same for a call within a revision, and no other', async t => {
  const draw = (revision: number, template: string, call: number, key = 'k') =>
    Buffer.from(drawFrom({ key: Buffer.from(key), uid: 'u', revision })({ template, call }, 40)).toString('hex')
  t.equal(draw(1, 'a', 1), draw(1, 'a', 1))
  t.equal(draw(1, 'a', 1).length, 80)
  const others = [draw(2, 'a', 1), draw(1, 'b', 1), draw(1, 'a', 2), draw(1, 'a', 1, 'other')]
  t.equal(new Set([draw(1, 'a', 1), ...others]).size, 5)
})

/** A cluster of these objects, and what was asked of it. */
const clusterOf = (objects: readonly KubeObject[]) => {
  const asked: string[] = []
  const client = {
    get: async ({ kind, name }: { kind: string; name: string }) => {
      asked.push(`get ${kind} ${name}`)
      return objects.find(object => object.kind === kind && object.metadata.name === name)
    },
    list: async ({ kind }: { kind: string }) => {
      asked.push(`list ${kind}`)
      return objects.filter(object => object.kind === kind)
    },
    create: async (object: KubeObject) => object,
    raw: async ({ path }: { path: string }) =>
      path === '/version' ? { gitVersion: 'v1.36.3' } : { groups: [], resources: [] },
    bound: () => client,
  } as unknown as Client
  return { client, asked }
}

/** A call of a process in which nothing was asked yet. */
const callWith = (client: Client): Promise<BegunCall> =>
  begunCall({ ...callOf(oneCluster(client)), now: () => new Date(0) }, { name: 'x' })

t.test('rendering is tried again with what it looked up, round by round', async t => {
  const { client, asked } = clusterOf([configMap('first', { next: 'second' }), configMap('second', { end: 'yes' })])
  const lookup = (name: string): Lookup => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'shop',
    name,
    in: 'target',
  })
  const render: Render = ({ found, cluster }) => {
    const first = found.get(lookupKey(lookup('first'))) as KubeObject | undefined
    if (!first) return { needs: [lookup('first'), lookup('')] }
    const name = String((first.data as JsonMap).next)
    const second = found.get(lookupKey(lookup(name))) as KubeObject | undefined
    return second
      ? { objects: [configMap(cluster.version, second.data as Record<string, string>)] }
      : { needs: [lookup(name)] }
  }
  const known = {
    call: await callWith(client),
    target: { name: 'local', client, local: client },
    elsewhere: { allowedHosts: ['*'] },
    fieldManager: 'x',
    context: { reconcilerName: 'x', component: shop(), componentDigest: '', revision: 1, now: new Date(0) },
  }
  const into = { namespace: 'shop', name: 'cart', parameters: {} }
  matches(t, await renderedObjects(render, into, known), [{ metadata: { name: 'v1.36.3' }, data: { end: 'yes' } }])
  t.strictSame(asked.filter(text => text.includes('ConfigMap')).toSorted(), [
    'get ConfigMap first',
    'get ConfigMap second',
    'list ConfigMap',
  ])
  const greedy: Render = ({ found }) => ({ needs: [lookup(`another-${found.size}`)] })
  await rejects(t, renderedObjects(greedy, into, known), { message: /rounds/ }, 'not for ever')
})

t.test('RE-26 a chart that looks up very much gets an error, and few requests are under way at once', async t => {
  const large = 'x'.repeat(2 ** 20)
  const { client } = clusterOf(Array.from({ length: 20 }, (_, n) => configMap(`large-${n}`, { large })))
  const flight = { now: 0, most: 0, all: 0 }
  const get: Client['get'] = async ref => {
    flight.all++
    flight.most = Math.max(flight.most, ++flight.now)
    await setImmediate()
    flight.now--
    return client.get(ref)
  }
  const list: Client['list'] = async query => (await client.list(query)).flatMap(one => query.keep?.(one) ?? [])
  const counted: Client = { ...client, get, list }
  const known = {
    call: { ...(await callWith(counted)), renderKey: async () => Buffer.alloc(32) },
    target: { name: 'local', client: counted, local: counted },
    elsewhere: { allowedHosts: ['*'] },
    fieldManager: 'x',
    context: { reconcilerName: 'x', component: shop(), componentDigest: '', revision: 1, now: new Date(0) },
  }
  const rendered = (template: string) =>
    renderedObjects(
      helm(chart({ 'templates/a.yaml': template })),
      { namespace: 'shop', name: 'cart', parameters: {} },
      known,
    )
  const looping = (times: number, name: string) =>
    `{{ range $n := until ${times} }}{{ $_ := lookup "v1" "ConfigMap" "shop" (print "${name}-" $n) }}{{ end }}`
  t.strictSame(await rendered(looping(1_000, 'small')), [])
  t.strictSame([flight.all, flight.most], [1_000, 8])
  await rejects(t, rendered(looping(1_001, 'small')), {
    message: 'rendering looks up more than 1000 objects and lists',
  })
  const tooLarge = { message: 'rendering looks up objects of more than 16777216 characters' }
  await rejects(t, rendered(looping(20, 'large')), tooLarge, 'one by one')
  await rejects(t, rendered('{{ $_ := lookup "v1" "ConfigMap" "shop" "" }}'), tooLarge, 'as a list')
})

t.test('CO-82 what cannot be looked up counts only for who still asks when the rest is known', async t => {
  const { client } = clusterOf([configMap('pointer', { to: 'goal' }), configMap('goal', { end: 'yes' })])
  const list = () => Promise.reject(new ApiError({ code: 403, reason: 'Forbidden', message: 'you may not list' }))
  const limited: Client = { ...client, list }
  const render = (name: string) =>
    helm(
      chart({
        'templates/a.yaml': [
          ...['{{- $pointer := lookup "v1" "ConfigMap" "shop" "pointer" }}', `{{- $name := ${name} }}`],
          ...['apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: made}'],
          'data: {end: {{ dig "data" "end" "" (lookup "v1" "ConfigMap" "shop" $name) | quote }}}',
        ].join('\n'),
      }),
    )
  const known = {
    call: await callWith(limited),
    target: { name: 'local', client: limited, local: limited },
    elsewhere: { allowedHosts: ['*'] },
    fieldManager: 'x',
    context: { reconcilerName: 'x', component: shop(), componentDigest: '', revision: 1, now: new Date(0) },
  }
  const into = { namespace: 'shop', name: 'cart', parameters: {} }
  const followed = renderedObjects(render('dig "data" "to" "" $pointer'), into, known)
  matches(t, await followed, [{ data: { end: 'yes' } }], 'without a name, as it is at first, it would be a list')
  await rejects(t, renderedObjects(render('""'), into, known), { message: 'you may not list' })
})

t.test('CO-82 a chart is rendered once when it looks up what it did last time, with what is there now', async t => {
  const held = [configMap('pointer', { to: 'here' }), configMap('here', { end: '1' }), configMap('there', { end: '2' })]
  const { client, asked } = clusterOf(held)
  let renderings = 0
  const renderer: Renderer = {
    render: (work, turn) => {
      renderings++
      known.push(noticed.at(-1))
      return rendererHere.render(work, turn)
    },
  }
  const files = chart({
    'templates/a.yaml': [
      '{{- $to := dig "data" "to" "" (lookup "v1" "ConfigMap" "shop" "pointer") }}',
      ...['apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: made}'],
      'data: {end: {{ if $to }}{{ dig "data" "end" "" (lookup "v1" "ConfigMap" "shop" $to) | quote }}{{ end }}}',
    ].join('\n'),
  })
  const { order } = renderWork({}, files)
  const call = { ...(await callWith(client)), renderer }
  const rendered = async (revision: number) => {
    const task = {
      call,
      target: { name: 'local', client, local: client },
      elsewhere: { allowedHosts: ['*'] },
      fieldManager: 'x',
      context: { reconcilerName: 'x', component: shop(), componentDigest: '', revision, now: new Date(0) },
    }
    for (const list of [asked, noticed, known]) list.length = 0
    renderings = 0
    const noticing = { ...task, noticed: (_: unknown, found: Findings) => noticed.push(found.size) }
    const [made] = await renderedObjects(order, { namespace: 'shop', name: 'cart', parameters: {} }, noticing)
    return { end: (made?.data as JsonMap | undefined)?.end, renderings, gets: asked.filter(isMapRead).length }
  }
  /** How much was found, as it was told, and what of that a rendering could quote. */
  const noticed: number[] = []
  const known: (number | undefined)[] = []
  const isMapRead = (text: string) => text.startsWith('get ConfigMap')
  t.strictSame(await rendered(1), { end: '1', renderings: 3, gets: 2 })
  held[1] = configMap('here', { end: 'changed' })
  t.strictSame(await rendered(1), { end: 'changed', renderings: 1, gets: 2 }, 'it is read again')
  t.strictSame(known, [2], 'and what was found is told before a rendering can quote it')
  held[0] = configMap('pointer', { to: 'there' })
  t.strictSame(await rendered(1), { end: '2', renderings: 4, gets: 4 }, 'who looks for something else begins anew')
  t.strictSame(await rendered(1), { end: '2', renderings: 1, gets: 2 }, 'and what it looks for no more is forgotten')
  t.equal((await rendered(2)).renderings, 3, 'another revision may look for other things')
})

t.test('CO-98 what a pure generator has rendered is kept, unless it looked something up', async t => {
  const { client } = clusterOf([configMap('looked-up')])
  const call = await callWith(client)
  let rendered = 0
  const renderOf =
    (lookups: readonly Lookup[]): Render =>
    ({ found, component: { metadata } }) => {
      if (found.size < lookups.length) return { needs: lookups }
      rendered++
      return { objects: [configMap(metadata.labels?.object ?? 'plain', { a: '1' })] }
    }
  const generated = async (component: KubeObject, { lookups = [] as Lookup[], hasPureGenerator = true } = {}) => {
    const engine = engineOf({ ...definition, generator: rendering(renderOf(lookups)), options: { hasPureGenerator } })
    const { metadata } = component
    const configured = configurationOf(component, engine.options)
    if ('faults' in configured) throw new Error(configured.faults.join())
    const made = await generatedManifests({
      ...configured,
      status: { revision: 1, revisionAt: '2026-11-21T00:00:00Z' },
      engine,
      call,
      reached: {
        digest: 'd',
        references: new Map(),
        secrecy: noSecrets,
        target: { name: 'local', client, local: client },
      },
      context: {
        reconcilerName: engine.name,
        component,
        client,
        localClient: client,
        reference: () => undefined,
        componentNamespace: 'shop',
        componentName: metadata.name,
        componentDigest: 'd',
        componentRevision: 1,
        now: new Date(0),
        signal: new AbortController().signal,
        settings: {},
      },
    })
    return made.manifests
  }
  const plain = shop({ status: { state: 'Ready' } }, { resourceVersion: '1' })
  const first = await generated(plain)
  t.strictSame(await generated(shop({ status: { state: 'Processing' } }, { resourceVersion: '2' })), first)
  t.equal(rendered, 1, 'the status that the engine writes is no reason to render again')
  matches(t, await generated(shop({}, { labels: { object: 'labelled' } })), [{ metadata: { name: 'labelled' } }])
  await generated(shop({ status: { colour: 'red' } }))
  t.equal(rendered, 3, 'whatever else of it a template can see is')
  const lookup: Lookup = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'looked-up', in: 'target' }
  const asking = shop({}, { name: 'asking' })
  t.strictSame(await generated(asking, { lookups: [lookup] }), await generated(asking, { lookups: [lookup] }))
  t.equal(rendered, 5)
  await generated(plain, { hasPureGenerator: false })
  t.equal(rendered, 6, 'nor is anything kept for those who do not say so')
})

t.test(
  'FN-30 a call that rendered by what it looked up, or ran code of its own, has read what it may have written',
  async t => {
    const { client } = clusterOf([configMap('looked-up')])
    const lookup: Lookup = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'looked-up', in: 'target' }
    const asking: Render = ({ found }) => (found.size === 0 ? { needs: [lookup] } : { objects: [] })
    const reusesReads = async (change: Partial<ComponentDefinition>) => {
      const engine = engineOf({ ...definition, options: { hasPureGenerator: true }, ...change })
      const call = componentCall(engine, await callWith(client))
      const configured = configurationOf(shop(), engine.options)
      if ('faults' in configured) throw new Error(configured.faults.join())
      const read = await referring(shop(), configured.configuration, call)
      const reached = await reach(shop(), { ...read, ...configured, call })
      const { hasLookedUp } = await rendered(shop(), { ...configured, reached, status: {} }, call)
      const world = { engine, reached, stage: 'dependents', hasLookedUp } as EngineWorld
      return passScope(world, call).reusesReads
    }
    t.equal(await reusesReads({}), false)
    t.equal(await reusesReads({ generator: rendering(asking) }), true)
    t.equal(await reusesReads({ options: {} }), true, 'a generator that may read what it likes')
    t.equal(await reusesReads({ hooks: { postReconcile: [() => {}] } }), true)
  },
)

t.test(
  'CO-100 postRead hooks are a step: once in a call, and not for a component that acts as nobody we understand',
  async t => {
    const { client } = clusterOf([])
    const seen: string[] = []
    const postRead: Hooks['postRead'] = [
      ({ component }) => {
        seen.push(component.metadata.name)
      },
    ]
    const call = componentCall(engineOf({ ...definition, hooks: { postRead } }), await callWith(client))
    const nobody = shop({ spec: { impersonationGroups: ['growers'] } }, { name: 'nobody' })
    matches(t, await gather(nobody, call), { stage: 'stopped', error: { is: 'configuration' } })
    const world = await gather(shop(), call)
    matches(t, world, { stage: 'hooks', point: 'postRead' })
    await passScope(world, call).runHook?.({ do: 'hook', point: 'postRead', object: shop() }, writable)
    t.strictSame(seen, ['cart'])
    t.equal((await gather(shop(), call)).stage, 'unheld')
  },
)

t.test('CO-98 the latest manifests of each component are kept as long as there is room', async t => {
  const size = JSON.stringify([configMap('a')]).length
  const kept = keptManifests(2 * size)
  const cluster = { version: 'v1.36.3', apiVersions: [] }
  for (const name of ['a', 'b']) kept.keep(name, 'first', { manifests: [configMap(name)], cluster })
  t.strictSame(kept.of('a', 'first', cluster), [configMap('a')])
  t.equal(kept.of('a', 'second', cluster), undefined, 'other inputs make other manifests')
  kept.keep('c', 'first', { manifests: [configMap('c')], cluster: undefined })
  t.equal(kept.of('b', 'first', cluster), undefined, 'the one that nobody asked for goes first')
  t.strictSame(kept.of('c', 'first', undefined), [configMap('c')])
  t.equal(kept.of('a', 'first', { ...cluster }), undefined, 'asked for anew, it may serve other kinds')
  kept.keep('a', 'second', { manifests: [configMap('d')], cluster })
  t.equal(kept.of('a', 'first', cluster), undefined, 'the former manifests give their room')
  t.strictSame(kept.of('c', 'first', undefined), [configMap('c')], 'so the others stay')
  kept.keep('huge', 'first', { manifests: [configMap('a'), configMap('b'), configMap('c')], cluster })
  t.equal(kept.of('huge', 'first', cluster), undefined)
})

t.test('CO-11 paths with * walk lists and maps; optional references may be absent', async t => {
  const { client } = clusterOf([configMap('a', { k: 'A' }), configMap('b', { k: 'B' })])
  const component = shop({
    spec: {
      list: [{ name: 'a' }, { name: 'none', optional: true }],
      map: { x: { name: 'b', key: 'k' } },
      load: { deep: 1 },
    },
  })
  const found = await readReferences(
    [
      { path: 'spec.list.*', kind: 'ConfigMap', fallbackKeys: ['k'] },
      { path: 'spec.map.*', kind: () => 'ConfigMap' },
      { path: 'spec.load.*', load: value => Number(value) + 1, digest: String },
    ],
    { component, localClient: client, now: new Date(0), signal: new AbortController().signal },
  )
  t.strictSame(
    [...found].map(([path, { value }]) => [path, value]),
    [
      ['spec.list.0', 'A'],
      ['spec.map.x', 'B'],
      ['spec.load.deep', 2],
    ],
  )
})

t.test('CO-146 reads are shared only in one namespace, by one identity and in one cluster', async t => {
  const { client } = clusterOf([configMap('a')])
  let reads = 0
  const counting: Client = {
    ...client,
    get: ref => {
      reads++
      return client.get(ref)
    },
  }
  const begun = { memory: processMemory() }
  type Caller = { namespace?: string; cluster?: string; user?: string }
  const readBy = async (...callers: Caller[]): Promise<number> => {
    reads = 0
    const asking = callers.map(({ namespace = 'default', cluster = 'local', user }) => {
      const identity = user === undefined ? {} : { there: { user, groups: [] } }
      const component = shop({ metadata: { ...shop().metadata, namespace } })
      const sharing = sharingInNamespace(counting, cluster, { component, identity, begun })
      return sharing.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' })
    })
    await Promise.all(asking)
    return reads
  }
  t.equal(await readBy({}, {}, {}), 1)
  t.equal(await readBy({}, { namespace: 'other' }), 2)
  t.equal(await readBy({}, { cluster: 'other' }), 2)
  t.equal(await readBy({}, { user: 'jane' }, { user: 'john' }), 3)
})

t.test('CO-146 a definition that changes a referenced object changes it for itself alone', async t => {
  const shared = configMap('a', { k: 'A' })
  const context = {
    component: shop({ spec: { seed: { name: 'a' } } }),
    localClient: clusterOf([]).client,
    reads: { get: async () => shared },
    now: new Date(0),
    signal: new AbortController().signal,
  }
  const option = { path: 'spec.seed', kind: 'ConfigMap', whole: true } as const
  const found = await readReferences([option], context)
  const own = found.get('spec.seed')?.value as { data: Record<string, string> }
  t.strictSame(own.data, { k: 'A' })
  own.data.k = 'changed'
  t.strictSame(shared, configMap('a', { k: 'A' }))
})

t.test('CO-108 references are read a few at once, and not beyond what a component may hold', async t => {
  const { client } = clusterOf([configMap('big', { k: 'x'.repeat(2 ** 20) })])
  let [underWay, most, reads] = [0, 0, 0]
  const counting: Client = {
    ...client,
    get: async ref => {
      most = Math.max(most, ++underWay)
      reads++
      const object = await client.get(ref)
      underWay--
      return object
    },
  }
  const readIn = (count: number, metadata = {}) => {
    ;[most, reads] = [0, 0]
    const list = Array.from({ length: count }, () => ({ name: 'big', key: 'k' }))
    const component = shop({ metadata: { ...shop().metadata, ...metadata }, spec: { list } })
    const option = { path: 'spec.list.*', kind: 'ConfigMap', ignoreNotFoundOnDeletion: true } as const
    return readReferences([option], {
      component,
      localClient: counting,
      now: new Date(0),
      signal: new AbortController().signal,
    })
  }
  t.equal((await readIn(16)).size, 16)
  t.ok(most <= 8, `${most} at once`)
  const message = 'the referenced ConfigMaps and Secrets contain more than 16777216 characters'
  await rejects(t, readIn(1_000), { message })
  t.ok(reads < 30, `${reads} reads`)
  const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['shop.example.io'] }
  t.equal((await readIn(1_000, leaving)).size, 16, 'what is beyond does not hold a deletion')
})
