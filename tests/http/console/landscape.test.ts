// The landscape page of the console: functions, queues, certificates, clusters, and the steps of a Garden.
import t, { type Test } from 'tap'
import type { Key, KubeObject } from '../../../shared/core/objects/object.ts'
import type { BindableClusters } from '../../../shared/kube/client-types.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { authorization, landscape, testHost, widgetFunction } from '../host-parts.ts'
import { type ConsoleHost, componentKind, consoleGround, textOf } from './console-ground.ts'

const { client, watched, namespace, other, hostWith, everywhere, here, nowhere, get, page, objectPath } =
  await consoleGround(t)

type Calling = { readonly waiting?: number | string; readonly from?: string }

const call = async (own: ConsoleHost, name: string, key: Key, { waiting, from }: Calling = {}): Promise<void> => {
  const { statusCode } = await own.functions.inject({
    method: 'POST',
    url: `/functions/${name}`,
    headers: {
      authorization,
      'content-type': 'application/json',
      ...(waiting !== undefined && { 'espalier-waiting': String(waiting) }),
    },
    ...(from && { remoteAddress: from }),
    payload: JSON.stringify(key),
  })
  t.equal(statusCode, 200)
}

t.test('SEE-84 keys that wait in all relays that called within ten minutes of the last call', async t => {
  const given = landscape()
  let now = Date.now()
  const own = hostWith({
    functions: [widgetFunction({ name: 'component', kind: componentKind })],
    landscape: { ...given, functions: { component: given.functions.widget } },
    now: () => new Date(now),
  })
  t.teardown(() => own.app.close())
  const waiting = async (): Promise<string> =>
    /component Component (not known|\d+) 0 /.exec(textOf(await page('/landscape', everywhere, own)))?.[1] ?? ''
  const told = (number: number | string, from: string) =>
    call(own, 'component', { namespace, name: 'well' }, { waiting: number, from })
  await told('many', '10.0.0.1')
  t.equal(await waiting(), 'not known')
  await told(7, '10.0.0.1')
  t.equal(await waiting(), '7')
  await told(5, '10.0.0.2')
  await told(2, '10.0.0.1')
  t.equal(await waiting(), '7', 'two relays, each with its last word')
  now += 599_000
  await told(3, '10.0.0.1')
  t.equal(await waiting(), '8')
  now += 2_000
  await told(4, '10.0.0.1')
  t.equal(await waiting(), '4', 'the other relay was silent for too long')
})

const days = (count: number): Date => new Date(Date.now() + (count + 0.5) * 86_400_000)

t.test(
  'SEE-85 certificates that functions keep: the first to end first, to those who may list their objects',
  async t => {
    const given = landscape()
    const functions = { component: given.functions.widget, namespaces: given.functions.widget }
    const own = hostWith({
      functions: [
        widgetFunction({
          name: 'component',
          kind: componentKind,
          certificates: world => [{ name: `of ${(world as KubeObject).metadata.name}`, ends: days(40) }],
        }),
        widgetFunction({
          name: 'namespaces',
          kind: { apiVersion: 'v1', kind: 'Namespace' },
          certificates: () => Array.from({ length: 20 }, (_, at) => ({ name: `authority ${at}`, ends: days(20 + at) })),
          decide: () => ({ steps: [], status: {}, events: [], next: { is: 'settled' } }),
        }),
      ],
      landscape: { ...given, functions },
    })
    t.teardown(() => own.app.close())
    await call(own, 'component', { namespace, name: 'well' })
    await call(own, 'component', { namespace: other, name: 'far' })
    const seenBy = async (token: string): Promise<string> => {
      const body = await page('/landscape', token, own)
      return textOf(body.split('id="certificates"')[1]?.split('</section>')[0] ?? '')
    }
    matches(
      t,
      await seenBy(everywhere),
      new RegExp(`renewed ends in 7 days .* of well ends in 40 days \\S+ \\S+ UTC · Component ${namespace}/well`),
    )
    contains(t, await seenBy(here), 'of well ends in 40 days')
    lacks(t, await seenBy(here), 'of far')
    lacks(t, await seenBy(nowhere), 'of well')
    await call(own, 'namespaces', { namespace: '', name: namespace })
    lacks(t, await seenBy(everywhere), 'authority', 'this caller may not list Namespaces')
    const cookie = await administrator(own)
    const { body } = await own.app.inject({ method: 'GET', url: '/landscape', headers: { cookie } })
    const text = textOf(body)
    matches(t, text, /authority 0 ends in 20 days .*authority 17 ends in 37 days/)
    lacks(t, text, 'authority 18')
    contains(t, text, '4 more end later.')
  },
)

const administrator = async (own: ConsoleHost): Promise<string> => {
  const url = own.pages.invite({ username: 'gardener', groups: ['system:masters'] }, () => undefined)
  const entered = await own.app.inject({ method: 'GET', url })
  return String(entered.headers['set-cookie']).split(';')[0] ?? ''
}

const kymaOf = (name: string): KubeObject => ({
  ...{ apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Kyma', spec: { channel: 'regular' } },
  metadata: { name, namespace: 'kcp-system', labels: { 'operator.kyma-project.io/managed-by': 'x' } },
})

type Bounds = Parameters<BindableClusters['bound']>[0]

/** A host with these Kymas; `there`: the client of the runtime of this name, in a call with these bounds. */
const hostWithKymas = async (t: Test, names: readonly string[], there: (name: string, bounds: Bounds) => object) => {
  const local: typeof client = {
    ...watched,
    get: async (ref, options) => (ref.kind === 'Kyma' ? kymaOf(ref.name) : client.get(ref, options)),
    pages: query => (query.kind === 'Kyma' ? kymas(query.keep) : client.pages(query)),
  } as typeof client
  async function* kymas(keep: ((object: KubeObject) => unknown) | undefined) {
    for (const name of names) keep?.(kymaOf(name))
    yield { items: [], resourceVersion: '1' }
  }
  const within = (bounds: Bounds) => ({
    of: async (name: string) => (name === 'local' ? local : there(name, bounds)),
    bound: within,
  })
  const own = hostWith({
    context: { ...testHost().parts.context, clusters: within({}) },
    console: { local, audience: 'espalier', certificates: () => [] },
  })
  t.teardown(() => own.app.close())
  const cookie = await administrator(own)
  const seen = async (url: string) => textOf((await own.app.inject({ method: 'GET', url, headers: { cookie } })).body)
  await eventually('all is read', async () => !/still being read/.test(await seen('/')))
  return { own, seen }
}

t.test('SEE-78 FN-91 clusters of Kymas: whether they answer, and an object in one of them', async t => {
  const only = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'only-there', namespace, uid: 'u' } }
  const { own, seen } = await hostWithKymas(t, ['up', 'down'], name => {
    if (name === 'runtimes/down') throw new Error('no route to it')
    return { ...client, get: async () => only, list: async () => [], raw: async () => ({}) }
  })
  const text = await seen('/landscape')
  contains(t, text, 'runtimes/up answers Kyma kcp-system/up')
  matches(t, text, /runtimes\/down does not answer Kyma kcp-system\/down .*no route to it/)
  const url = `/object/core/v1/ConfigMap/${namespace}/only-there`
  contains(t, await seen(`${url}?on=runtimes/up`), `in runtimes/up ConfigMap ${namespace}/only-there`)
  matches(t, await seen(url), /Not found/)
  t.equal((await get(`${url}?on=runtimes/up`, everywhere, own)).statusCode, 404)
})

t.test('SEE-78 30 clusters of Kymas are asked, and each has two seconds', async t => {
  const names = Array.from({ length: 32 }, (_, at) => `k${at}`)
  const asked = new Set<string>()
  const limits: number[] = []
  const { timeout } = AbortSignal
  t.teardown(() => Object.assign(AbortSignal, { timeout }))
  const { seen } = await hostWithKymas(t, names, (name, { signal }) => ({
    raw: () => {
      asked.add(name)
      const { promise, reject } = Promise.withResolvers<never>()
      signal?.addEventListener('abort', () => reject(new Error('too late')))
      if (signal?.aborted) reject(new Error('too late'))
      return promise
    },
  }))
  Object.assign(AbortSignal, {
    timeout: (milliseconds: number) => {
      limits.push(milliseconds)
      return timeout.call(AbortSignal, 10)
    },
  })
  const text = await seen('/landscape')
  t.strictSame([asked.size, limits], [30, [2_000]])
  t.equal(text.match(/does not answer Kyma \S+ too late/g)?.length, 30)
  contains(t, text, '2 more were not asked.')
})

t.test(
  'SEE-78 FN-91 the landscape: functions with their calls, days of certificates; clusters to those who may list their Secrets',
  async t => {
    const given = landscape()
    const own = hostWith({
      functions: [widgetFunction({ name: 'component', kind: componentKind, picture: () => picture })],
      landscape: { ...given, functions: { component: given.functions.widget } },
    })
    t.teardown(() => own.app.close())
    for (let times = 0; times < 6; times++) await call(own, 'component', { namespace, name: 'well' })
    const text = textOf(await page('/landscape', everywhere, own))
    matches(t, text, /component Component not known 0 6 0 \S+ ago/)
    contains(t, text, 'serving ends in 3 days')
    const certificates = (await page('/landscape', everywhere, own)).split('id="certificates"')[1] ?? ''
    matches(t, certificates, /mark waiting[\s\S]*serving[\s\S]*mark ready[\s\S]*renewed/)
    contains(t, text, 'They are shown to those who may list Secrets in kcp-system')
    const seen = textOf(await page(objectPath('well'), everywhere, own))
    matches(
      t,
      seen,
      /Calls .*The next call of component follows when an object changes, or with the next periodic call/,
    )
    t.equal([...seen.matchAll(/took \d+ ms/g)].length, 5, 'FN-91 the last five calls')
    matches(t, seen, /Settled component · \S+ ago · took \d+ ms/)
  },
)

t.test('SEE-63 a reason stands once beside equal calls, and not where the top of the page has it', async t => {
  const given = landscape()
  const pageAfter = async (reason: string) => {
    const failing = widgetFunction({
      ...{ name: 'component', kind: componentKind },
      decide: () => ({ steps: [], status: {}, events: [], next: { is: 'failed', reason } }),
    })
    const own = hostWith({
      functions: [failing],
      landscape: { ...given, functions: { component: given.functions.widget } },
    })
    t.teardown(() => own.app.close())
    for (let times = 0; times < 3; times++) await call(own, 'component', { namespace, name: 'broken' })
    return textOf(await page(objectPath('broken'), everywhere, own)).split('Calls')[1] ?? ''
  }
  const times = (text: string, part: string) => text.split(part).length - 1
  const other = await pageAfter('no route to host')
  t.strictSame([times(other, 'Failed component'), times(other, 'no route to host')], [3, 1])
  t.equal(times(await pageAfter('the chart has no such version'), 'the chart has no such version'), 0)
})

const picture = [
  { name: 'etcds', needs: [], is: 'ready', waits: [] },
  { name: 'apiserver', needs: ['etcds'], is: 'open', waits: ['Deployment garden/x: is <not> ready'] },
  { name: 'access', needs: ['etcds', 'apiserver'], is: 'blocked', waits: [] },
  { name: 'logging', needs: [], is: 'skipped', waits: [] },
] as const

t.test(
  'SEE-79 the steps of a long process: a graph without needless lines, what is waited for, and all in words',
  async t => {
    const { stepsPicture } = await import('../../../shared/console/graph.ts')
    const { text: body } = stepsPicture(picture)
    const text = textOf(body)
    contains(t, text, 'Steps 1 of 3 ready')
    contains(t, text, 'Deployment garden/x: is <not> ready')
    contains(t, body, 'is &#60;not&#62; ready')
    contains(t, text, 'blocked access blocked by apiserver')
    t.equal([...body.matchAll(/<path class="edge/g)].length, 2, 'access needs etcds through apiserver')
    t.equal([...body.matchAll(/<g class="node/g)].length, 4)
  },
)
