// What the pages of the console show: the overview, objects, filters; hostile texts and Secrets are on none.
import t from 'tap'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { componentKind, condition, configMap, consoleGround, person, source, textOf } from './console-ground.ts'

const { admin, client, namespace, other, asked, host, component, item, everywhere, get, page, objectPath } =
  await consoleGround(t)

t.test('FN-90 the overview: counts, then lines, the longest trouble first, with what is waited for', async t => {
  const body = await page('/')
  const text = textOf(body)
  for (const count of ['1 in trouble', '1 waiting', '1 suspended']) contains(t, text, count)
  const at = ['broken', 'slow', 'held', 'well'].map(name => body.indexOf(`/Component/${namespace}/${name}"`))
  t.strictSame(
    at,
    at.toSorted((one, two) => one - two),
  )
  t.ok(at[0] && at[0] > 0)
  contains(t, text, 'the chart has no such version')
  matches(t, text, new RegExp(`waits for Job ${namespace}/lost since \\d+y\\d+d — waits for Job lost`))
  contains(t, body, `href="/object/batch/v1/Job/${namespace}/lost"`)
  lacks(t, text, 'all is ready'.repeat(2))
})

t.test('FN-90 an object that is being deleted comes after failed ones and before waiting ones', async t => {
  const ref = { ...componentKind, namespace, name: 'going' }
  await component('going', {})
  await admin.patch(ref, { type: 'merge', body: { metadata: { finalizers: ['example.com/held'] } } }, person)
  await admin.delete(ref, {})
  await eventually('it is seen', async () => /row deleting/.test(await page('/')))
  const body = await page('/')
  const at = ['broken', 'going', 'slow'].map(name => body.indexOf(`/Component/${namespace}/${name}"`))
  t.strictSame(
    at,
    at.toSorted((one, two) => one - two),
  )
  contains(t, textOf(body), '2 waiting')
  await admin.patch(ref, { type: 'merge', body: { metadata: { finalizers: null } } }, person)
  await eventually('it is gone', async () => !(await page('/')).includes('/going"'))
})

t.test('FN-91 an object: the last ten of its Events', async t => {
  const involvedObject = {
    ...{ ...componentKind, name: 'held', namespace },
    uid: (await admin.get({ ...componentKind, namespace, name: 'held' }))?.metadata.uid,
  }
  for (let at = 10; at < 22; at++)
    await admin.create(
      {
        ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: `held-${at}`, namespace }, involvedObject },
        ...{ type: 'Normal', reason: 'Seen', message: `event ${at}.`, lastTimestamp: `2020-01-01T00:00:${at}Z` },
      },
      person,
    )
  const text = textOf(await page(objectPath('held')))
  t.strictSame(
    [...text.matchAll(/event (\d+)\./g)].map(([, at]) => Number(at)),
    [21, 20, 19, 18, 17, 16, 15, 14, 13, 12],
  )
})

t.test('FN-91 an object: chain, waves, last writers, conditions, commands', async t => {
  const body = await page(objectPath('slow'))
  const text = textOf(body)
  matches(t, text, new RegExp(`Job ${namespace}/lost missing does not exist`))
  matches(t, text, /Wave 1 ready .*Wave 2 at work .*Wave 3 blocked by wave 2/)
  const waves = [...body.matchAll(/<li class="tier (\w+)"( aria-current="step")?><details( open)?/g)]
  t.strictSame(
    waves.map(([, is, current, open]) => [is, Boolean(current), Boolean(open)]),
    [
      ['ready', false, true],
      ['current', true, true],
      ['blocked', false, true],
    ],
  )
  matches(t, text, /ConfigMap \S+\/first creating · last written by gardener-of-maps \S+ ago/)
  matches(t, text, /Ready: no for \d+y\d+d — dependents not ready waits for Job lost Ready=False DependentsNotReady/)
  contains(t, text, `kubectl get components.core.espalier.dev slow -n ${namespace} -o yaml`)
  contains(t, text, `npx espalier why component slow -n ${namespace}`)
})

t.test('SEE-39 an inventory of thousands: waves and dependents are bounded, and counted', async t => {
  const many = (count: number, waves: number) =>
    Array.from({ length: count }, (_, at) =>
      item('ConfigMap', `m${at}`, at % 400 === 399 ? 'InProgress' : 'Current', at % waves),
    )
  await component('wide', { state: 'Processing', inventory: many(1_200, 2) })
  const wide = await page(objectPath('wide'))
  t.equal([...wide.matchAll(/class="fruit /g)].length, 300)
  matches(t, textOf(wide), /Wave 2 at work .*?of 600 ready · apply order 1 ConfigMap \S+\/m399 .*and 450 more objects/)
  await component('deep', { state: 'Processing', inventory: many(450, 150) })
  const deep = textOf(await page(objectPath('deep')))
  contains(t, deep, 'Wave 100 ')
  lacks(t, deep, 'Wave 101 ')
  contains(t, deep, 'and 50 more waves')
})

t.test('FN-91 an address that names nothing, or something that is not there: 404', async t => {
  for (const url of [
    '/object/x',
    objectPath('none'),
    objectPath('..'),
    objectPath('a%2Fb'),
    `/object/core/v1/Pod/${namespace}/%2e%2e`,
    `${objectPath('slow')}?on=elsewhere`,
    '/object/core.espalier.dev/v1alpha1/%3Cscript%3E/x/y',
  ])
    t.equal((await get(url)).statusCode, 404, url)
})

const hostile = `"><script>alert(1)</script><img src=x onerror='a'>\`&amp;\u202egnp`

t.test('SEE-74 hostile sentences, reasons and managers are text', async t => {
  await component('hostile', {
    state: 'Error',
    ...condition('False', hostile, { type: 'Ready', reason: 'A' }),
    inventory: [{ ...item('Job', 'x', 'InProgress'), kind: 'Job', name: '"><script>' }],
  })
  await admin.create(
    {
      ...{ apiVersion: 'v1', kind: 'Event', metadata: { name: 'hostile', namespace } },
      involvedObject: {
        ...componentKind,
        ...{ name: 'hostile', namespace },
        uid: (await admin.get({ ...componentKind, namespace, name: 'hostile' }))?.metadata.uid,
      },
      ...{ type: 'Warning', reason: hostile.slice(0, 60), message: hostile },
    },
    { fieldManager: '"><script>alert(2)' },
  )
  await eventually('it is seen', async () => (await page('/')).includes('/hostile"'))
  for (const url of [
    '/',
    objectPath('hostile'),
    `/?q=${encodeURIComponent(hostile)}`,
    `/?ns=${encodeURIComponent(hostile)}`,
  ]) {
    const body = await page(url)
    t.strictSame(
      [...body.matchAll(/<script[^>]*>/g)].map(([tag]) => tag),
      ['<script src="/refresh.js" defer>'],
      url,
    )
    for (const part of ['<img', '\u202e', '`', "onerror='"]) lacks(t, body, part, url)
    contains(t, body, url.includes('?ns') ? '&#34;&#62;&#60;script' : '&#60;script&#62;alert(1)&#60;/script&#62;')
    lacks(t, body.replace(/"[^"]*"/g, ''), /=[^"\s>]*script/)
  }
  await admin.delete({ ...componentKind, namespace, name: 'hostile' }, {})
})

t.test('SEE-76 filters in the address; pages of 100; no request for a line', async t => {
  contains(t, textOf(await page('/?q=NO%20SUCH')), 'the chart has no such version')
  lacks(t, await page('/?q=NO%20SUCH'), '/slow"')
  for (const [query, seen, unseen] of [
    ['state=waiting', 'slow', 'broken'],
    [`ns=${other}`, 'far', 'broken'],
    ['state=suspended&kind=Component', 'held', 'well'],
  ] as const) {
    const body = await page(`/?${query}`)
    contains(t, body, `/${seen}"`)
    lacks(t, body, `/${unseen}"`)
  }
  contains(t, textOf(await page('/?kind=Kyma')), 'No object fits this filter')
  const many = `${namespace}-many`
  await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: many } }, person)
  await Promise.all(
    Array.from({ length: 205 }, (_, at) =>
      admin.create({ ...componentKind, metadata: { name: `c${at}`, namespace: many }, spec: { source } }, person),
    ),
  )
  await eventually('all are seen', async () => (await page(`/?ns=${many}`)).includes('205 objects'))
  asked.length = 0
  const rows = async (query: string) => [...(await page(`/?ns=${many}${query}`)).matchAll(/<li class="row/g)].length
  t.strictSame([await rows(''), await rows('&page=2'), await rows('&page=3'), await rows('&page=99')], [100, 100, 5, 5])
  t.strictSame(asked, [], 'nothing is asked for a page')
  contains(t, await page(`/?ns=${many}&page=2`), `href="/?ns=${many}&#38;page=3"`)
  await admin.delete({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: many }, {})
})

t.test('FN-93 no Secret is asked for, and no value of one is on a page', async t => {
  const canary = 'c4n4ry-of-the-console'
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'canary', namespace },
    stringData: { password: canary },
  }
  await admin.create(secret, person)
  await component(
    'feeds',
    {
      state: 'Processing',
      ...condition('False', 'waits'),
      inventory: [item('Secret', 'canary', 'InProgress'), item('ConfigMap', 'first', 'InProgress')],
    },
    { source: { manifests: [{ ...configMap, data: { password: canary } }] } },
  )
  await admin.patch(
    { ...componentKind, namespace, name: 'feeds' },
    { type: 'merge', body: { metadata: { annotations: { password: canary }, labels: { password: canary } } } },
    person,
  )
  await admin.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'first' },
    { type: 'merge', body: { data: { password: canary } } },
    person,
  )
  const link = host.pages.invite({ username: 'gardener', groups: ['system:masters'] }, () => undefined)
  const entered = await host.app.inject({ method: 'GET', url: link })
  const cookie = String(entered.headers['set-cookie']).split(';')[0]
  await eventually('it is seen', async () => (await page('/')).includes('/feeds"'))
  const secretReads: unknown[] = []
  const { get: read, list } = client
  client.get = async (ref, options) => {
    if (ref.kind === 'Secret') secretReads.push(ref)
    return read(ref, options)
  }
  client.list = async query => {
    if (query.kind === 'Secret') secretReads.push(query)
    return list(query)
  }
  for (const url of [
    '/',
    objectPath('feeds'),
    `/object/core/v1/Secret/${namespace}/canary`,
    `/object/core/v1/ConfigMap/${namespace}/first`,
  ]) {
    const { body, statusCode } = await host.app.inject({ method: 'GET', url, headers: { cookie } })
    lacks(t, body, canary, url)
    lacks(t, body, Buffer.from(canary).toString('base64').slice(0, 20), url)
    t.equal(statusCode, url.includes('Secret') ? 404 : 200, url)
  }
  Object.assign(client, { get: read, list })
  t.strictSame(secretReads, [])
  lacks(t, JSON.stringify(host.lines), everywhere)
  lacks(t, JSON.stringify(host.lines), canary)
})
