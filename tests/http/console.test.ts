// The console of a host, asked as a browser asks it, with tokens of service accounts that may list more or less.
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { componentCrd } from '../../shared/api/component/crd.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { clientTo } from '../harness/clusters/cluster-client.ts'
import { serviceAccountToken } from '../harness/clusters/service-account.ts'
import { established } from '../harness/component/orchards.ts'
import { contains, lacks, matches } from '../harness/matches.ts'
import { eventually } from '../harness/until.ts'
import { authorization, landscape, testHost, widgetFunction } from './host-parts.ts'

const cluster = await anyCluster(t)
const admin = clientTo(t, cluster)
const { namespace } = cluster
const other = `${namespace}-b`
const person = { fieldManager: 'person' }
const componentKind = { apiVersion: 'core.espalier.dev/v1alpha1', kind: 'Component' }
await established(admin, componentCrd() as KubeObject)
await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } }, person)
t.teardown(() => admin.delete({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: other }, {}))

/** Counts what the console asks. */
const asked: string[] = []
const client = clientTo(t, cluster, ({ verb }) => void asked.push(verb))
const paths: string[] = []
const watched = {
  ...client,
  raw: (request: Parameters<typeof client.raw>[0]) => {
    paths.push(`${request.path} ${JSON.stringify(request.body)}`)
    return client.raw(request)
  },
}

type Host = ReturnType<typeof hostWith>
const hostWith = (change: object = {}) => {
  const host = testHost({
    functions: [],
    context: { ...testHost().parts.context, clusters: clusters({ local: client }) },
    landscape: landscape(),
    console: {
      local: watched,
      audience: 'espalier',
      certificates: () => [
        { name: 'serving', ends: new Date(Date.now() + 3.5 * 86_400_000) },
        { name: 'renewed', ends: new Date(Date.now() + 7.5 * 86_400_000) },
      ],
    },
    ...change,
  })
  if (!host.console) throw new Error('there is no console')
  return { ...host, ...host.console }
}
const host = hostWith()
t.teardown(() => host.app.close())

const condition = (status: string, message: string, more: object = {}) => ({
  conditions: [
    {
      type: 'Ready',
      status,
      reason: 'DependentsNotReady',
      message,
      lastTransitionTime: '2020-01-01T00:00:00Z',
      ...more,
    },
  ],
})

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } }
const source = { manifests: [configMap] }

const component = async (name: string, status: object, more: object = {}, place = namespace): Promise<void> => {
  const ref = { ...componentKind, namespace: place, name }
  await admin.create({ ...componentKind, metadata: { name, namespace: place }, spec: { source, ...more } }, person)
  await admin.patch(ref, { type: 'merge', body: { status } }, { ...person, subresource: 'status' })
}

const item = (kind: string, name: string, status: string, applyOrder = 0) => ({
  ...{ group: kind === 'Job' ? 'batch' : '', version: 'v1', kind, name, namespace, applyOrder },
  ...{ phase: status === '' ? 'ScheduledForApplication' : 'Creating', status },
})

await component('broken', { state: 'Error', ...condition('False', 'the chart has no such version') })
await component('slow', {
  state: 'Processing',
  ...condition('False', 'waits for Job lost'),
  inventory: [
    item('ConfigMap', 'first', 'Current', -1),
    item('Job', 'lost', 'InProgress'),
    item('ConfigMap', 'last', '', 1),
  ],
})
await component('well', { state: 'Ready', ...condition('True', 'all is ready') })
await component('held', { state: 'Ready', ...condition('True', 'all is ready') }, { suspend: true })
await component('far', { state: 'Ready', ...condition('True', 'all is ready') }, {}, other)
await admin.apply(
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'first', namespace }, data: { a: 'b' } },
  { fieldManager: 'gardener-of-maps' },
)

const rbac = 'rbac.authorization.k8s.io'
const role = `console-${namespace}`
await admin.create(
  {
    ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: role } },
    rules: [
      {
        apiGroups: ['', 'batch', 'core.espalier.dev'],
        resources: ['components', 'jobs', 'configmaps', 'events'],
        verbs: ['list'],
      },
    ],
  },
  person,
)
t.teardown(() => admin.delete({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', namespace: '', name: role }, {}))

/** A token of an account that may list everywhere, in one namespace, or nowhere. */
const tokenOf = async (
  name: string,
  where: 'everywhere' | 'here' | 'nowhere',
  audience = 'espalier',
): Promise<string> => {
  await admin.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }, person)
  const binding = {
    ...{ apiVersion: `${rbac}/v1`, metadata: { name: `${role}-${name}`, ...(where === 'here' && { namespace }) } },
    kind: where === 'here' ? 'RoleBinding' : 'ClusterRoleBinding',
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  }
  if (where !== 'nowhere') await admin.apply(binding, person)
  return serviceAccountToken(cluster, { namespace, name }, { audience })
}
const everywhere = await tokenOf('all', 'everywhere')
const here = await tokenOf('one', 'here')
const nowhere = await tokenOf('none', 'nowhere')

type Reply = { statusCode: number; headers: Record<string, unknown>; body: string }

const get = async (url: string, token: string | undefined = everywhere, on: Host = host): Promise<Reply> => {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` }
  const { statusCode, headers: answered, body } = await on.app.inject({ method: 'GET', url, headers })
  return { statusCode, headers: answered, body }
}
const page = async (url: string, token?: string, on?: Host): Promise<string> => {
  const { statusCode, body } = await get(url, token, on)
  return statusCode === 200 ? body : `${statusCode} ${body}`
}
const textOf = (body: string): string =>
  body
    .replace(/<(svg|select)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replace(/\s+/g, ' ')
const objectPath = (name: string, kind = 'Component', place = namespace) =>
  `/object/core.espalier.dev/v1alpha1/${kind}/${place}/${name}`

await eventually('everything is read', async () => !/still being read/.test(await page('/')))

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
  matches(t, text, /ready: no for \d+y\d+d — dependents not ready waits for Job lost Ready=False DependentsNotReady/)
  contains(t, text, `kubectl get components.core.espalier.dev slow -n ${namespace} -o yaml`)
  contains(t, text, `npx espalier why component slow -n ${namespace}`)
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

t.test('FN-94 without a valid token: a form, and nothing else', async t => {
  const stranger = await tokenOf('stranger', 'everywhere', 'https://kubernetes.default.svc')
  const [head, payload = ''] = everywhere.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const ended = Buffer.from(JSON.stringify({ ...claims, exp: 1 })).toString('base64url')
  for (const token of ['', 'x', 'x.y.z', stranger, `${head}.${ended}.x`])
    for (const url of ['/', objectPath('slow'), '/events', '/landscape', `/plan${objectPath('slow').slice(7)}`]) {
      const { statusCode, headers, body } = await get(url, token)
      t.equal(statusCode, 401, url)
      t.equal(headers['www-authenticate'], 'Bearer')
      contains(t, body, '<form class="login" action="/login" method="post">')
      lacks(t, body.replace(/name="next" value="[^"]*"/, ''), 'slow')
    }
})

t.test('SEE-70 every answer has its headers; GET alone', async t => {
  for (const url of [
    '/',
    '/style.css',
    '/refresh.js',
    '/icon.svg',
    '/none',
    objectPath('none'),
    '/events?of=x',
    '/once/x',
  ])
    for (const token of ['', everywhere]) {
      if (url.startsWith('/events') && token) continue
      const { headers } = await get(url, token)
      matches(
        t,
        headers,
        {
          'content-security-policy':
            /^default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
          'cache-control': 'no-store',
        },
        url,
      )
    }
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'] as const) {
    const { statusCode } = await host.app.inject({
      method,
      url: '/',
      headers: { authorization: `Bearer ${everywhere}` },
    })
    t.equal(statusCode, 405, method)
  }
})

const form = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  host.app.inject({
    method: 'POST',
    url: '/login',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(fields).toString(),
  })

t.test('SEE-71 the form: a token becomes a cookie, and the browser goes on to the page that was asked for', async t => {
  const answer = await form({ token: everywhere, next: '/?state=failed' })
  matches(t, [answer.statusCode, answer.headers.location], [303, '/?state=failed'])
  t.equal(answer.headers['set-cookie'], `__Host-espalier=${everywhere}; Path=/; Secure; HttpOnly; SameSite=Strict`)
  const headers = { cookie: `other=1; __Host-espalier=${everywhere}` }
  t.equal((await host.app.inject({ method: 'GET', url: '/', headers })).statusCode, 200)
  const left = await host.app.inject({ method: 'GET', url: '/logout', headers })
  matches(t, left.headers['set-cookie'], /^__Host-espalier=; .*; Max-Age=0$/)
  for (const site of ['cross-site', 'same-site', 'same-origin', 'none']) {
    const sent = await host.app.inject({
      method: 'GET',
      url: '/logout',
      headers: { ...headers, 'sec-fetch-site': site },
    })
    const isOther = site.endsWith('-site')
    t.strictSame(
      [sent.headers.location, sent.headers['set-cookie'] === undefined],
      [isOther ? '/' : undefined, isOther],
    )
  }
  const asked = await get(`${objectPath('slow')}?on=local`, '')
  contains(t, asked.body, `name="next" value="${objectPath('slow')}?on=local"`)
})

t.test('SEE-71 no other site is an aim of the form, and none can send it', async t => {
  for (const next of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/object/..//evil.example',
    '/%0d%0aset-cookie:a=b',
    '\t//evil.example',
    'javascript:alert(1)',
    '/logout',
    '/once/x',
  ])
    t.equal((await form({ token: everywhere, next })).headers.location, '/', next)
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]
  for (const headers of foreign) t.equal((await form({ token: everywhere }, headers)).statusCode, 403)
  t.equal(
    (
      await form(
        { token: everywhere },
        { host: 'console.example', origin: 'https://console.example', 'sec-fetch-site': 'same-origin' },
      )
    ).statusCode,
    303,
  )
  for (const token of ['', 'x', `a\r\nset-cookie: b=c`, everywhere.repeat(9)]) {
    const answer = await form({ token })
    t.equal(answer.statusCode, 401)
    t.equal(answer.headers['set-cookie'], undefined)
  }
})

t.test('SEE-72 a link logs in once; the next one is told; a look beforehand does not use it', async t => {
  const told: string[] = []
  const link = host.pages.invite({ username: 'gardener', groups: ['system:masters'] }, next => void told.push(next))
  t.equal((await host.app.inject({ method: 'HEAD', url: link })).statusCode, 204)
  t.equal((await host.app.inject({ method: 'GET', url: link, headers: { 'sec-purpose': 'prefetch' } })).statusCode, 204)
  const entered = await host.app.inject({ method: 'GET', url: link })
  const [cookie = ''] = String(entered.headers['set-cookie']).split(';')
  matches(t, [entered.statusCode, cookie], [200, /^__Host-espalier=[-\w]{43}$/])
  contains(t, entered.body, '<meta http-equiv="refresh" content="0; url=/">')
  const seen = await host.app.inject({ method: 'GET', url: '/', headers: { cookie } })
  contains(t, seen.body, '<span title="gardener">')
  t.equal((await get(link, '')).statusCode, 401)
  matches(t, told, [/^\/once\/[-\w]{43}$/])
  t.not(told[0], link)
  await host.app.inject({ method: 'GET', url: '/logout', headers: { cookie } })
  t.equal((await host.app.inject({ method: 'GET', url: '/', headers: { cookie } })).statusCode, 401)
})

t.test('SEE-73 a caller sees what it may list and no more, one after the other on one host', async t => {
  for (const [token, seen] of [
    [everywhere, ['broken', 'slow', 'far']],
    [here, ['broken', 'slow']],
    [nowhere, []],
    [everywhere, ['broken', 'slow', 'far']],
  ] as const) {
    const body = await page('/', token)
    for (const [name, place] of [
      ['broken', namespace],
      ['slow', namespace],
      ['far', other],
    ] as const) {
      const isSeen = (seen as readonly string[]).includes(name)
      t.equal(body.includes(`/Component/${place}/${name}"`), isSeen, name)
      t.equal((await get(objectPath(name, 'Component', place), token)).statusCode, isSeen ? 200 : 404, name)
    }
    t.equal(
      /\d+ objects? (is not shown, because you may not list it|are not shown, because you may not list them)/.test(
        body,
      ),
      token !== everywhere,
    )
    if (token !== everywhere) lacks(t, body, other)
  }
})

t.test('SEE-73 parts that a caller may not list are left out, and counted', async t => {
  const limited = `${role}-limited`
  await admin.apply(
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: limited, namespace } },
      rules: [{ apiGroups: ['core.espalier.dev'], resources: ['components'], verbs: ['list'] }],
    },
    person,
  )
  const token = await tokenOf('limited', 'nowhere')
  await admin.apply(
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: limited, namespace } },
      roleRef: { apiGroup: rbac, kind: 'Role', name: limited },
      subjects: [{ kind: 'ServiceAccount', name: 'limited', namespace }],
    },
    person,
  )
  const text = textOf(await page(objectPath('slow'), token))
  contains(t, text, '1 part is not shown, because you may not list it')
  contains(t, text, '3 objects are not shown, because you may not list them')
  lacks(t, text, `ConfigMap ${namespace}/first`)
  lacks(t, text, 'does not exist')
  t.equal((await get(`/object/core/v1/ConfigMap/${namespace}/first`, token)).statusCode, 404)
})

t.test('SEE-73 answers are kept for a minute, and asked for anew afterwards', async t => {
  const token = await tokenOf('later', 'nowhere')
  const own = hostWith()
  t.teardown(() => own.app.close())
  await eventually('all is read', async () => !/still being read/.test(await page('/', token, own)))
  lacks(t, await page('/', token, own), '/broken"')
  await tokenOf('later', 'everywhere')
  paths.length = 0
  lacks(t, await page('/', token, own), '/broken"', 'it is remembered')
  t.strictSame(paths, [])
  const real = performance.now.bind(performance)
  performance.now = () => real() + 60_001
  t.teardown(() => {
    performance.now = real
  })
  contains(t, await page('/', token, own), '/broken"')
  t.ok(paths.some(path => path.includes('tokenreviews')) && paths.some(path => path.includes('subjectaccessreviews')))
})

t.test('SEE-83 the rights for an inventory: 200 kinds and namespaces, ten at once, the rest is hidden', async t => {
  const inventory = Array.from({ length: 205 }, (_, at) => ({
    ...{ group: '', version: 'v1', kind: 'ConfigMap', name: 'x', namespace: `place-${at}` },
    ...{ applyOrder: 0, phase: 'Creating', status: 'InProgress' },
  }))
  await component('wide', { state: 'Processing', inventory })
  let [open, most, count] = [0, 0, 0]
  const counting = {
    ...client,
    raw: async (request: Parameters<typeof client.raw>[0]) => {
      count++
      most = Math.max(most, ++open)
      return client.raw(request).finally(() => open--)
    },
  }
  const own = hostWith({ console: { local: counting, audience: 'espalier', certificates: () => [] } })
  t.teardown(() => own.app.close())
  contains(t, textOf(await page(objectPath('wide'), everywhere, own)), ' 7 objects are not shown')
  const token = await limitedTo('narrow', ['components'])
  await page(objectPath('well'), token, own)
  count = most = 0
  contains(t, textOf(await page(objectPath('wide'), token, own)), '205 objects are not shown')
  t.ok(count > 190 && count < 205, `${count} questions`)
  t.ok(most > 1 && most <= 10, `${most} at once`)
  await admin.delete({ ...componentKind, namespace, name: 'wide' }, {})
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

/** A stream of events as it arrives. */
const stream = async (t: Test, url: string, token: string, on: Host) => {
  const { port } = on.app.server.address() as { port: number }
  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: ending.signal,
  })
  let text = ''
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const reads = async () => {
    for await (const piece of answer.body ?? []) text += Buffer.from(piece).toString()
  }
  reads().then(resolve, () => resolve())
  return { status: answer.status, headers: answer.headers, text: () => text, ended, abort: () => ending.abort() }
}

t.test(
  'FN-92 a change is told to the open page, whose content then shows it; not to whom may not list the object',
  async t => {
    const own = hostWith()
    t.teardown(() => own.app.close())
    await own.app.listen({ host: '127.0.0.1', port: 0 })
    const all = await stream(t, '/events', everywhere, own)
    const [object, others] = await Promise.all(
      ['well', 'slow'].map(name => stream(t, `/events?of=${encodeURIComponent(objectPath(name).slice(8))}`, here, own)),
    )
    const blind = await stream(t, '/events', nowhere, own)
    matches(
      t,
      [all.status, all.headers.get('content-type'), all.headers.get('cache-control')],
      [200, 'text/event-stream', 'no-store'],
    )
    await eventually('all is read', async () => !/still being read/.test(await page('/', everywhere, own)))
    await wait(1_500)
    const before = [all, object, others, blind].map(one => one?.text().length)
    await admin.patch(
      { ...componentKind, namespace, name: 'well' },
      { type: 'merge', body: { status: { state: 'Error', ...condition('False', 'it broke just now') } } },
      { ...person, subresource: 'status' },
    )
    await eventually(
      'it is told',
      async () => /data: change/.test(all.text()) && /data: change/.test(object?.text() ?? ''),
    )
    t.strictSame(
      [others, blind].map(one => one?.text().length),
      before.slice(2),
    )
    contains(t, await page('/', everywhere, own), 'it broke just now')
  },
)

t.test('SEE-75 streams are bounded: ten of a user, and all end with the host', async t => {
  const own = hostWith()
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  const streams = []
  for (let at = 0; at < 10; at++) streams.push(await stream(t, '/events', everywhere, own))
  const more = await stream(t, '/events', everywhere, own)
  t.strictSame([more.status, more.headers.get('retry-after')], [429, '5'])
  t.equal((await stream(t, '/events', here, own)).status, 200, 'another user')
  streams[0]?.abort()
  await eventually('there is room again', async () => (await stream(t, '/events', everywhere, own)).status === 200)
  await own.app.close()
  await Promise.all(streams.map(({ ended }) => ended))
})

const limitedTo = async (name: string, resources: string[]): Promise<string> => {
  const token = await tokenOf(name, 'nowhere')
  const limited = `${role}-${name}`
  await admin.apply(
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: limited, namespace } },
      rules: [{ apiGroups: ['', 'core.espalier.dev'], resources, verbs: ['list'] }],
    },
    person,
  )
  await admin.apply(
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: limited, namespace } },
      roleRef: { apiGroup: rbac, kind: 'Role', name: limited },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    person,
  )
  return token
}

/** Keeps the ConfigMap and the Secret of a Component. */
const keeping = async (ref: KubeObject): Promise<KubeObject[]> => [
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'first', namespace: ref.metadata.namespace ?? '' },
    data: { a: 'c' },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'planned', namespace: ref.metadata.namespace ?? '' },
    stringData: { a: 'pl4nned' },
  },
]

t.test(
  'SEE-77 a plan is shown as a diff, without what the caller may not list, and without values of Secrets',
  async t => {
    const definition = widgetFunction({
      name: 'component',
      kind: componentKind,
      gather: async object => keeping(object),
      decide: world => ({
        steps: (world as KubeObject[]).map(object => ({ do: 'apply', object, force: true })),
        status: {},
        events: [],
        next: { is: 'waiting', seconds: 5, for: 'a <b>' },
      }),
    })
    const given = landscape()
    const own = hostWith({
      functions: [definition],
      landscape: { ...given, functions: { component: given.functions.widget } },
    })
    t.teardown(() => own.app.close())
    const url = `/plan${objectPath('well').slice(7)}`
    const body = await page(url, await limitedTo('planner', ['components', 'configmaps', 'secrets']), own)
    const text = textOf(body)
    matches(t, text, /~ change ConfigMap \S+\/first/)
    matches(t, text, /data\.a − b \+ c/)
    matches(t, text, /\+ create Secret \S+\/planned/)
    contains(t, text, 'Then it waits: a <b>. It looks again after 5 s.')
    contains(t, body, 'a &#60;b&#62;')
    lacks(t, body, 'pl4nned')
    const less = textOf(await page(url, await limitedTo('reader', ['components']), own))
    contains(t, less, '2 steps are not shown, because you may not list them')
    lacks(t, less, 'data.a')
    t.equal((await get(url, nowhere, own)).statusCode, 404)
    t.equal((await get(`/plan/core/v1/ConfigMap/${namespace}/first`, everywhere, own)).statusCode, 404)
    matches(t, (await admin.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'first' }))?.data, { a: 'b' })
  },
)

t.test('SEE-77 two plans are made at once, further ones are answered 429', async t => {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  let begun = 0
  const definition = widgetFunction({
    name: 'component',
    kind: componentKind,
    gather: async () => {
      begun++
      await opened
      return []
    },
    decide: () => ({ steps: [], status: {}, events: [], next: { is: 'settled' } }),
  })
  const given = landscape()
  const own = hostWith({
    functions: [definition],
    landscape: { ...given, functions: { component: given.functions.widget } },
  })
  t.teardown(() => own.app.close())
  const url = `/plan${objectPath('well').slice(7)}`
  const two = [get(url, everywhere, own), get(url, everywhere, own)]
  await eventually('both are made', async () => begun === 2)
  const { statusCode, headers } = await get(url, everywhere, own)
  t.strictSame([statusCode, headers['retry-after']], [429, '5'])
  open()
  t.strictSame(
    (await Promise.all(two)).map(one => one.statusCode),
    [200, 200],
  )
})

t.test('SEE-78 FN-91 clusters of Kymas: whether they answer, and an object in one of them', async t => {
  const kymaOf = (name: string) => ({
    ...{ apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Kyma', spec: { channel: 'regular' } },
    metadata: { name, namespace: 'kcp-system', labels: { 'operator.kyma-project.io/managed-by': 'x' } },
  })
  const only = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'only-there', namespace, uid: 'u' } }
  const local: typeof client = {
    ...watched,
    get: async (ref, options) => (ref.kind === 'Kyma' ? (kymaOf(ref.name) as KubeObject) : client.get(ref, options)),
    pages: query => (query.kind === 'Kyma' ? kymas(query.keep) : client.pages(query)),
  } as typeof client
  async function* kymas(keep: ((object: KubeObject) => unknown) | undefined) {
    for (const name of ['up', 'down']) keep?.(kymaOf(name) as KubeObject)
    yield { items: [], resourceVersion: '1' }
  }
  const there = { ...client, get: async () => only, list: async () => [], raw: async () => ({}) }
  const named = {
    of: async (name: string) => {
      if (name === 'runtimes/down') throw new Error('no route to it')
      return name === 'local' ? local : there
    },
  }
  const own = hostWith({
    context: { ...testHost().parts.context, clusters: { ...named, bound: () => named } },
    console: { local, audience: 'espalier', certificates: () => [] },
  })
  t.teardown(() => own.app.close())
  const entered = await own.app.inject({
    method: 'GET',
    url: own.pages.invite({ username: 'gardener', groups: ['system:masters'] }, () => undefined),
  })
  const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
  const seen = async (url: string) => textOf((await own.app.inject({ method: 'GET', url, headers: { cookie } })).body)
  await eventually('all is read', async () => !/still being read/.test(await seen('/')))
  const text = await seen('/landscape')
  contains(t, text, 'runtimes/up answers Kyma kcp-system/up')
  matches(t, text, /runtimes\/down does not answer Kyma kcp-system\/down .*no route to it/)
  const url = `/object/core/v1/ConfigMap/${namespace}/only-there`
  contains(t, await seen(`${url}?on=runtimes/up`), `in runtimes/up ConfigMap ${namespace}/only-there`)
  matches(t, await seen(url), /Not found/)
  t.equal((await get(`${url}?on=runtimes/up`, everywhere, own)).statusCode, 404)
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
    for (let call = 0; call < 6; call++) {
      const { statusCode } = await own.functions.inject({
        method: 'POST',
        url: '/functions/component',
        headers: { authorization, 'content-type': 'application/json' },
        payload: JSON.stringify({ namespace, name: 'well' }),
      })
      t.equal(statusCode, 200)
    }
    const text = textOf(await page('/landscape', everywhere, own))
    matches(t, text, /component Component 0 6 0 \S+ ago/)
    contains(t, text, 'serving ends in 3 days')
    const certificates = (await page('/landscape', everywhere, own)).split('id="certificates"')[1] ?? ''
    matches(t, certificates, /mark waiting[\s\S]*serving[\s\S]*mark ready[\s\S]*renewed/)
    contains(t, text, 'They are shown to those who may list Secrets in kcp-system')
    const seen = textOf(await page(objectPath('well'), everywhere, own))
    matches(t, seen, /Calls .*The next call of component follows when something changes, or with the next sweep/)
    t.equal([...seen.matchAll(/took \d+ ms/g)].length, 5, 'FN-91 the last five calls')
    matches(t, seen, /settled component · \S+ ago · took \d+ ms/)
  },
)

const picture = [
  { name: 'etcds', needs: [], is: 'ready', waits: [] },
  { name: 'apiserver', needs: ['etcds'], is: 'open', waits: ['Deployment garden/x: is <not> ready'] },
  { name: 'access', needs: ['etcds', 'apiserver'], is: 'blocked', waits: [] },
  { name: 'logging', needs: [], is: 'skipped', waits: [] },
] as const

t.test(
  'SEE-79 the steps of a long process: a graph without needless lines, what is waited for, and all in words',
  async t => {
    const { stepsPicture } = await import('../../shared/console/graph.ts')
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
