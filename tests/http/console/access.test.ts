// Who may see the console, and what: tokens, the form, links, rights; the headers of each answer.
import t from 'tap'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { componentKind, consoleGround, person, textOf } from './console-ground.ts'

const {
  admin,
  client,
  namespace,
  other,
  paths,
  host,
  hostWith,
  component,
  rbac,
  role,
  tokenOf,
  limitedTo,
  everywhere,
  here,
  nowhere,
  get,
  page,
  objectPath,
} = await consoleGround(t)

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
