// What callers may make the embedded API server compute: patterns that can be read in many ways, patches and YAML that grow. Each
// request is answered at once; code that tries every way would not end.
import { Readable } from 'node:stream'
import { connect } from 'node:tls'
import t from 'tap'
import { Agent, request } from 'undici'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { programOf } from '../../../shared/embedded/cel/program.ts'
import { celValue } from '../../../shared/embedded/cel/values.ts'
import { fitsFormat } from '../../../shared/embedded/kinds/formats.ts'
import { repeatedFields } from '../../../shared/embedded/verbs/repeated-fields.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { crd } from '../../harness/component/orchards.ts'
import { matches, throws } from '../../harness/matches.ts'

const { api, namespace, url, caData, admin } = await anyCluster(t)
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`

/** Each of its letters may belong to one round of the loop or to the next. */
const ambiguous = '^(a+)+$'
const text = `${'a'.repeat(60)}!`

t.test('RE-31 patterns of definitions are read as Go does, in linear time', async t => {
  const group = 'bounds.example.com'
  const definition = crd(group, 'Word', 'words') as unknown as { spec: { versions: [{ schema: JsonMap }] } }
  const word = (pattern: string) => ({ type: 'string', pattern })
  const spec = {
    type: 'object',
    properties: { slow: word(ambiguous), go: word('^(?i)[[:alpha:]]+\\z'), none: word('(?=a)') },
  }
  definition.spec.versions[0].schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
  matches(t, await api.call('POST', path, { body: definition }), { status: 201 })
  const words = `/apis/${group}/v1/namespaces/${namespace}/words`
  await api.served(words)
  const created = (name: string, spec: JsonMap) =>
    api.call('POST', words, { body: { apiVersion: `${group}/v1`, kind: 'Word', metadata: { name }, spec } })
  matches(t, await created('slow', { slow: text }), {
    status: 422,
    body: {
      message: `Word.${group} "slow" is invalid: spec.slow: Invalid value: "${text}": spec.slow in body should match '${ambiguous}'`,
    },
  })
  matches(t, await created('fits', { slow: 'aaa', go: 'aBc' }), { status: 201 })
  matches(t, await created('not', { go: 'a1' }), { status: 422 })
  matches(t, await created('none', { none: 'a' }), { status: 422 }, 'what Go cannot read lets nothing through')
})

t.test('RE-31 host names are read in linear time', async t => {
  const fits = (host: string) => fitsFormat('hostname', host)
  t.strictSame(
    ['a', 'a-b.c.', '1.example', `${'a'.repeat(63)}.b`].filter(host => !fits(host)),
    [],
  )
  const refused = ['', '.', 'a..b', '-a', 'a-', 'a_b', 'a.b!', 'a'.repeat(64), `${'a'.repeat(60)}.${'a'.repeat(60)}!`]
  t.strictSame(refused.filter(fits), [])
})

t.test('a CIDR has one address and one length', t => {
  const fits = (text: string) => fitsFormat('cidr', text)
  t.ok(['10.0.0.0/8', 'fd00::/48'].every(fits))
  t.strictSame(['10.0.0.0', '10.0.0.0/8/9', '10.0.0.0/33', 'fd00::/129', '/8', '10.0.0.0/'].filter(fits), [])
  t.end()
})

t.test('a format with the name of something that every object has is one that is not known', async t => {
  const named = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'isPrototypeOf', 'valueOf']
  t.strictSame(
    named.filter(format => fitsFormat(format, 'a') !== true || fitsFormat(format, '') !== true),
    [],
  )
  t.equal(fitsFormat('ipv4', 'a'), false, 'one that is known is checked')
})

t.test('RE-31 matches, find and findAll in rules read patterns as Go does, in linear time', async t => {
  const schema = {
    type: 'object',
    properties: { text: { type: 'string' }, texts: { type: 'array', items: { type: 'string' } } },
  }
  const self = celValue({ text, texts: [text, 'b'] }, schema)
  const value = (expression: string) => programOf(expression, false).run({ self, oldSelf: undefined })
  t.equal(value(`self.text.matches('${ambiguous}')`), false)
  t.equal(value(`self.texts.exists(each, each.matches('${ambiguous}'))`), false)
  t.equal(value(`self.texts.exists(i, each, each.matches('^(b+)+\\\\z'))`), true)
  t.equal(value(`self.text.find('^(a+)+$') == '' && self.text.findAll('(a+)+$') == []`), true)
  t.equal(value(`self.text.find('a[[:punct:]]') == 'a!' && 'abcb'.findAll('b|c', 2) == ['b', 'c']`), true)
  throws(t, () => value("self.text.matches('(')"), { message: 'error parsing regexp: missing closing ): `(`' })
  throws(t, () => value('self.text.matches(1)'), { message: /no matching overload/ })
})

t.test('RE-31 a JSON patch copies no more than a request may have, in no more than 10,000 operations', async t => {
  const path = `${configMaps}/copied`
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'copied' }, data: { a: 'x'.repeat(1_000) } }
  matches(t, await api.call('POST', configMaps, { body }), { status: 201 })
  const patched = (operations: readonly JsonMap[]) =>
    api.call('PATCH', path, { body: operations, contentType: 'application/json-patch+json' })
  const copies = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ op: 'copy', from: '/data/a', path: `/data/a${n}` }))
  matches(t, await patched(copies(100)), { status: 200 })
  matches(t, await patched(copies(4_000)), { status: 422 }, 'four megabytes')
  const doubling = Array.from({ length: 40 }, (_, n) => ({ op: 'copy', from: '/data', path: `/data/b${n}` }))
  matches(t, await patched(doubling), { status: 422 })
  const tests = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/none', value: null }))
  matches(t, await patched(tests), { status: 413 })
})

const dispatcher = new Agent({ connect: { ca: Buffer.from(caData, 'base64') } })
t.teardown(() => dispatcher.close())
const authorization = `Bearer ${'token' in admin ? admin.token : ''}`

type Sent = Parameters<typeof request>[1]

const answered = async (path: string, sent: Sent) => {
  const options = { dispatcher, ...sent, headers: { authorization, ...sent?.headers } }
  const reply = await request(url + path, options)
  const warnings = [reply.headers.warning ?? []].flat()
  return { status: reply.statusCode, warnings, body: await reply.body.json() }
}

const mostBytes = 3 * 2 ** 20

t.test('RE-31 of a body without a length no more is read than a request may have, of a larger one nothing', async t => {
  const headers = { 'content-type': 'application/json' }
  const pieces = (bytes: number) => Readable.from(Array.from({ length: bytes / 2 ** 16 }, () => ' '.repeat(2 ** 16)))
  const streamed = (bytes: number) => answered(configMaps, { method: 'POST', headers, body: pieces(bytes) })
  matches(t, await streamed(mostBytes), { status: 400 }, 'nothing but blanks')
  matches(t, await streamed(mostBytes + 2 ** 16), { status: 413 })
  const silent = connect({ port: Number(new URL(url).port), rejectUnauthorized: false })
  t.teardown(() => silent.destroy())
  const head = `POST ${configMaps} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n`
  silent.write(`${head}content-length: ${mostBytes + 1}\r\n\r\n`)
  const [answer] = await silent.take(1).toArray()
  matches(t, String(answer), /^HTTP\/1\.1 413 /)
})

t.test('RE-31 bodies of a hundred thousand brackets are refused, whatever they are sent as', async t => {
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const path = `${configMaps}/kube-root-ca.crt`
  const patch = (type: string) => ['PATCH', `${path}?fieldManager=m`, `application/${type}`] as const
  for (const [method, where, type] of [
    ['POST', configMaps, 'application/json'],
    ['POST', configMaps, 'application/yaml'],
    ['DELETE', path, 'application/json'],
    ...['json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml'].map(patch),
  ] as const)
    matches(
      t,
      await answered(where, { method, headers: { 'content-type': type }, body: deep }),
      { status: 400, body: { message: /exceeded max depth/ } },
      `${method} ${type}`,
    )
})

t.test('RE-31 bodies of YAML are read in one pass, and grow no larger than a request may be', async t => {
  const headers = { 'content-type': 'application/yaml' }
  const sent = (text: string) => answered(configMaps, { method: 'POST', headers, body: text })
  const megabytes = mostBytes - 100
  const broken = ['? ', '\t', '&a ', '!!x ', '- - \n', '{a: ', '- &a [*a]\n', '%x\n', '"a" ']
  const nameless = ['<<: {}\n', 'a: b\n']
  const answers = new Map([...broken.map(unit => [unit, 400] as const), ...nameless.map(unit => [unit, 422] as const)])
  for (const [unit, status] of answers)
    matches(t, await sent(unit.repeat(megabytes / unit.length)), { status }, JSON.stringify(unit))
  const aliases = `a: &a ${'x'.repeat(100_000)}\nb: [${Array(50_000).fill('*a').join()}]\n`
  matches(t, await sent(aliases), { status: 413 })
  const said = [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata: {name: said, annotations: &same {a: "1"}}',
    'data: *same',
    '',
  ]
  matches(t, await sent(said.join('\n')), { status: 201, body: { data: { a: '1' } } })
})

t.test(
  'keys that are there twice in YAML are told with their lines, and refused where the caller is strict',
  async t => {
    const text = (name: string) =>
      [
        'apiVersion: v1',
        'kind: ConfigMap',
        `metadata: {name: ${name}, labels: {x: a, x: b}}`,
        'data:',
        '  a: "1"',
        '  "a":',
      ]
        .concat('    # far below', '    "2"', '')
        .join('\n')
    const lines = ['line 3: key "x" already set in map', 'line 8: key "a" already set in map']
    const listed = lines.map(line => `\n  ${line}`).join('')
    const sent = async (name: string, query: string, method: 'POST' | 'PATCH' = 'POST') => {
      const isApply = method === 'PATCH'
      const path = `${configMaps}${isApply ? `/${name}?fieldManager=m&` : '?'}${query}`
      const headers = { 'content-type': isApply ? 'application/apply-patch+yaml' : 'application/yaml' }
      return answered(path, { method, headers, body: text(name) })
    }
    const warnings = lines.map(line => `299 - ${JSON.stringify(line)}`)
    matches(t, await sent('twice', ''), { status: 201, warnings, body: { data: { a: '2' } } })
    matches(t, await sent('quiet', 'fieldValidation=Ignore'), { status: 201, warnings: [] })
    const strictly = 'fieldValidation=Strict'
    matches(t, await sent('strict', strictly), {
      status: 400,
      body: {
        message: `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: yaml: unmarshal errors:${listed}`,
      },
    })
    matches(t, await sent('applied', '', 'PATCH'), { status: 201, warnings })
    matches(t, await sent('strictly', strictly, 'PATCH'), {
      status: 400,
      body: { message: `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:${listed}` },
    })
  },
)

t.test('keys that are there twice in JSON are told as Go tells them', async t => {
  const [json, merge] = ['application/json', 'application/merge-patch+json']
  const [operations, strategic] = ['application/json-patch+json', 'application/strategic-merge-patch+json']
  const meta = (name: string) =>
    `"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","labels":{"x":"a","x":"b"}}`
  const label = 'duplicate field "metadata.labels.x"'
  const misread = 'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
  const refused = (said: string) => ({ status: 400, body: { message: `${misread}${said}` } })
  const badPatch = (said: string) => ({
    status: 422,
    body: { message: new RegExp(`: strict decoding error: ${said}$`) },
  })
  const warned = (...said: string[]) => said.map(each => `299 - ${JSON.stringify(each)}`)
  const sent = (method: 'POST' | 'PUT' | 'PATCH', type: string, body: string) => (query: string) => {
    const path = method === 'POST' ? configMaps : `${configMaps}/there`
    return answered(`${path}?dryRun=All&${query}`, { method, headers: { 'content-type': type }, body })
  }
  const there = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'there' } }
  matches(t, await api.call('POST', configMaps, { body: there }), { status: 201 })

  const data = '"data":{"c":"0"},"data":{"a":"1","\\u0061":"2","a":"3","b":"[{\\"a\\":1,\\"a\\":1}]","":"x, \\"a\\""}'
  const create = sent('POST', json, `{${meta('new')},${data},"zz":1}`)
  const all = [label, 'duplicate field "data"', 'duplicate field "data.a"', 'unknown field "zz"']
  matches(t, await create('fieldValidation=Strict'), refused(all.join(', ')))
  const owned = `{${meta('there').slice(0, -1)},"ownerReferences":[{"name":"o"},{"name":"o", "name" : "p"}]}}`
  const owner = 'duplicate field "metadata.ownerReferences[1].name"'
  matches(t, await sent('PUT', json, owned)('fieldValidation=Strict'), refused(`${label}, ${owner}`))

  const labels = '{"metadata":{"labels":{"x":"a","x":"b"}}}'
  const add =
    '[{"op":"test","path":"/kind","value":"ConfigMap"},{"op":"add","path":"/data","value":{"a":"1"},"op":"add"}]'
  for (const [type, body, said] of [
    [merge, labels, label],
    [strategic, labels, label],
    [operations, add, 'json patch duplicate field "[1].op"'],
  ] as const) {
    const patch = sent('PATCH', type, body)
    matches(t, await patch(''), { status: 200, warnings: warned(said) })
    matches(t, await patch('fieldValidation=Ignore'), { status: 200, warnings: [] })
    matches(t, await patch('fieldValidation=Strict'), badPatch(said.replace(/[[\]]/g, '\\$&')))
  }

  const apply = sent('PATCH', 'application/apply-patch+yaml', `{\n${meta('there')}}`)
  const line = 'line 2: key "x" already set in map'
  matches(t, await apply('fieldManager=m'), { status: 200, warnings: warned(line) })
  const yaml = 'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  '
  matches(t, await apply('fieldManager=m&fieldValidation=Strict'), { status: 400, body: { message: yaml + line } })
})

t.test('of keys that are there twice in JSON a hundred are told, however many there are', async t => {
  const twice = (count: number) => Array.from({ length: count }, (_, n) => `"k${n}":1,"k${n}":1`).join()
  t.equal(repeatedFields(`{${twice(200)}}`).length, 100)
  t.strictSame(repeatedFields(`[{${'"a":1,'.repeat(100_000)}"b":1}]`), ['[0].a'])
  t.strictSame(repeatedFields('{"a":{"b":1},"c":{"b":["a","a"]},"d":[{"a":1},{"a":1}],"__proto__":1}'), [])
})

t.test('RE-31 of warnings no more is told than fits into a head', async t => {
  const headers = { 'content-type': 'application/yaml' }
  const body = `metadata: {name: warned}\ndata:\n${`  ${'k'.repeat(100)}: b\n`.repeat(2_000)}`
  const { status, warnings } = await answered(configMaps, { method: 'POST', headers, body })
  t.equal(status, 201)
  t.equal(warnings.length, 16)
})
