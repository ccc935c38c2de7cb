// Kubeconfigs that are data: what is refused and in which words, and that judging one touches nothing.
import childProcess from 'node:child_process'
import dns from 'node:dns'
import fs, { writeFileSync } from 'node:fs'
import fsPromises from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import net, { isIPv6, type LookupFunction } from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import workerThreads from 'node:worker_threads'
import t from 'tap'
import { stringify } from 'yaml'
import { encodedText } from '../../../shared/core/objects/secret-text.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { guardedLookup, isInner } from '../../../shared/kube/kubeconfigs/allowed-hosts.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import { ownKubeconfigAccess } from '../../../shared/kube/kubeconfigs/own-kubeconfig.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { isQuick } from '../../harness/cpu-work.ts'
import { lacks, matches, rejects } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { configMap, json, scriptedServer } from './scripted-server.ts'

const authority = await newAuthority('kubeconfigs')
const serving = await authority.serving({ dns: ['localhost'], ip: ['127.0.0.1'] })
const person = await authority.client({ user: 'somebody' })
const another = await authority.client({ user: 'somebody else' })

type Fields = Record<string, unknown>
type Change = { cluster?: Fields; user?: Fields; context?: Fields; file?: Fields }

const caData = encodedText(authority.certificate)

/** A kubeconfig that is accepted, changed. A field set to undefined is left out. */
const kubeconfig = ({ cluster, user, context, file }: Change = {}): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [
      {
        name: 'there',
        cluster: { server: 'https://api.example.com', 'certificate-authority-data': caData, ...cluster },
      },
    ],
    users: [{ name: 'we', user: { token: 'token', ...user } }],
    contexts: [{ name: 'here', context: { cluster: 'there', user: 'we', ...context } }],
    ...file,
  })

const options = { allowedHosts: ['api.example.com', '*.cluster.example', '127.0.0.9'] }
const certificate = {
  token: undefined,
  'client-certificate-data': encodedText(person.certificate),
  'client-key-data': encodedText(person.key),
}
const server = (url: unknown): string => kubeconfig({ cluster: { server: url } })

const accepted: Record<string, string> = {
  'a token': kubeconfig(),
  'a client certificate': kubeconfig({ user: certificate }),
  'what concerns people only': kubeconfig({
    cluster: { 'insecure-skip-tls-verify': false, 'disable-compression': true, extensions: [] },
    context: { namespace: 'default', extensions: [] },
    file: { preferences: { colors: true }, extensions: [] },
  }),
  'a host below an allowed suffix': server('https://a.b.cluster.example:6443'),
  'a host written otherwise': server('https://API.example.COM.:443/prefix/'),
  'a loopback address that is listed exactly': server('https://127.0.0.9:6443'),
  'the same in JSON': JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: 'https://api.example.com', 'certificate-authority-data': caData } }],
    users: [{ name: 'c', user: { token: 't' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'c' } }],
  }),
}

const cluster = 'clusters[0].cluster'
const user = 'users[0].user'

/** What is refused → the field that is named, and a part of the sentence. */
const refused: Record<string, { text: string; field: string; says: RegExp }> = {
  exec: {
    text: kubeconfig({ user: { exec: { command: 'touch', args: ['/tmp/x'] } } }),
    field: `${user}.exec`,
    says: /run a program/,
  },
  'exec of a user who is not the current one': {
    text: kubeconfig({
      file: {
        users: [
          { name: 'we', user: { token: 't' } },
          { name: 'x', user: { exec: {} } },
        ],
      },
    }),
    field: 'users[1].user.exec',
    says: /run a program/,
  },
  'auth-provider': {
    text: kubeconfig({ user: { 'auth-provider': { name: 'oidc' } } }),
    field: `${user}.auth-provider`,
    says: /run a program/,
  },
  tokenFile: {
    text: kubeconfig({ user: { tokenFile: '/etc/hostname' } }),
    field: `${user}.tokenFile`,
    says: /read a file/,
  },
  'client-certificate': {
    text: kubeconfig({ user: { 'client-certificate': '/a' } }),
    field: `${user}.client-certificate`,
    says: /read a file/,
  },
  'client-key': {
    text: kubeconfig({ user: { 'client-key': '/a' } }),
    field: `${user}.client-key`,
    says: /read a file/,
  },
  'certificate-authority': {
    text: kubeconfig({ cluster: { 'certificate-authority': '/a' } }),
    field: `${cluster}.certificate-authority`,
    says: /read a file/,
  },
  'proxy-url': {
    text: kubeconfig({ cluster: { 'proxy-url': 'http://proxy' } }),
    field: `${cluster}.proxy-url`,
    says: /another host/,
  },
  'no TLS verification': {
    text: kubeconfig({ cluster: { 'insecure-skip-tls-verify': true } }),
    field: `${cluster}.insecure-skip-tls-verify`,
    says: /accept any/,
  },
  impersonation: { text: kubeconfig({ user: { as: 'admin' } }), field: `${user}.as`, says: /another user/ },
  'a password': {
    text: kubeconfig({ user: { username: 'a', password: 'b' } }),
    field: `${user}.username`,
    says: /Kubernetes removed/,
  },
  http: { text: server('http://api.example.com'), field: `${cluster}.server`, says: /not https/ },
  'a unix socket': { text: server('unix:///run/docker.sock'), field: `${cluster}.server`, says: /not https/ },
  'no URL': { text: server('api.example.com'), field: `${cluster}.server`, says: /no URL/ },
  'no server': { text: server(undefined), field: `${cluster}.server`, says: /no URL/ },
  'a number as server': { text: server(1), field: `${cluster}.server`, says: /no text/ },
  'a user in the URL': {
    text: server('https://a:b@api.example.com'),
    field: `${cluster}.server`,
    says: /user or a password/,
  },
  'a query in the URL': { text: server('https://api.example.com/?a'), field: `${cluster}.server`, says: /query/ },
  'a host that is not allowed': {
    text: server('https://evil.example.net'),
    field: `${cluster}.server`,
    says: /not an allowed host/,
  },
  'the suffix alone': {
    text: server('https://cluster.example'),
    field: `${cluster}.server`,
    says: /not an allowed host/,
  },
  'a suffix inside a name': {
    text: server('https://xcluster.example'),
    field: `${cluster}.server`,
    says: /not an allowed host/,
  },
  'an allowed host before an @': {
    text: server('https://api.example.com@evil.example.net'),
    field: `${cluster}.server`,
    says: /user or a password/,
  },
  'no CA': {
    text: kubeconfig({ cluster: { 'certificate-authority-data': undefined } }),
    field: `${cluster}.certificate-authority-data`,
    says: /missing/,
  },
  'a CA that is none': {
    text: kubeconfig({ cluster: { 'certificate-authority-data': encodedText('nothing') } }),
    field: `${cluster}.certificate-authority-data`,
    says: /not a certificate/,
  },
  'neither token nor certificate': { text: kubeconfig({ user: { token: undefined } }), field: user, says: /neither/ },
  'a token with a line break': {
    text: kubeconfig({ user: { token: 'a\r\nX-Remote-User: admin' } }),
    field: `${user}.token`,
    says: /not a token/,
  },
  'a token that is a number': { text: kubeconfig({ user: { token: 5 } }), field: `${user}.token`, says: /no text/ },
  'a certificate without its key': {
    text: kubeconfig({ user: { ...certificate, 'client-key-data': undefined } }),
    field: `${user}.client-key-data`,
    says: /missing/,
  },
  'a key that is none': {
    text: kubeconfig({ user: { ...certificate, 'client-key-data': 'eA==' } }),
    field: `${user}.client-key-data`,
    says: /not a key/,
  },
  'the key of another certificate': {
    text: kubeconfig({ user: { ...certificate, 'client-key-data': encodedText(another.key) } }),
    field: `${user}.client-key-data`,
    says: /not the key/,
  },
  'a field nobody knows': {
    text: kubeconfig({ user: { credentialProcess: 'rm' } }),
    field: user,
    says: /has an unknown field/,
  },
  'a field nobody knows at the top': {
    text: kubeconfig({ file: { include: '/a' } }),
    field: '',
    says: /has an unknown field/,
  },
  'a field named like a member of every object': {
    text: kubeconfig({ user: { toString: 'x' } }),
    field: user,
    says: /has an unknown field/,
  },
  'another version': {
    text: kubeconfig({ file: { apiVersion: 'v2' } }),
    field: 'apiVersion',
    says: /not a supported version/,
  },
  'another kind': { text: kubeconfig({ file: { kind: 'Pod' } }), field: 'kind', says: /not a kubeconfig/ },
  'no current context': {
    text: kubeconfig({ file: { 'current-context': 'nowhere' } }),
    field: 'current-context',
    says: /no context/,
  },
  'a context without its cluster': {
    text: kubeconfig({ context: { cluster: 'x' } }),
    field: 'contexts[0].context.cluster',
    says: /no cluster/,
  },
  'a context without its user': {
    text: kubeconfig({ context: { user: 'x' } }),
    field: 'contexts[0].context.user',
    says: /no user/,
  },
  'two clusters of one name': {
    text: kubeconfig({
      file: {
        clusters: [
          { name: 'there', cluster: {} },
          { name: 'there', cluster: {} },
        ],
      },
    }),
    field: 'clusters[1].name',
    says: /another entry/,
  },
  'clusters that are no list': {
    text: kubeconfig({ file: { clusters: { there: {} } } }),
    field: 'clusters',
    says: /no list/,
  },
  'a cluster that is no mapping': {
    text: kubeconfig({ file: { clusters: ['x'] } }),
    field: 'clusters[0]',
    says: /no mapping/,
  },
  'a user that is no mapping': {
    text: kubeconfig({ file: { users: [{ name: 'we', user: 'x' }] } }),
    field: user,
    says: /no mapping/,
  },
  'more beside a cluster': {
    text: kubeconfig({ file: { clusters: [{ name: 'there', cluster: {}, exec: {} }] } }),
    field: 'clusters[0]',
    says: /unknown field/,
  },
  'an empty text': { text: '', field: '', says: /no mapping/ },
  'a list': { text: '[]', field: '', says: /no mapping/ },
  'no YAML': { text: 'a: b: c', field: '', says: /not valid YAML/ },
  'two documents': { text: `${kubeconfig()}---\n${kubeconfig()}`, field: '', says: /not valid YAML/ },
  'a key twice': { text: `${kubeconfig()}kind: Config\n`, field: '', says: /not valid YAML \(DUPLICATE_KEY\)/ },
  '__proto__ as a key': { text: `${kubeconfig()}__proto__: {apiVersion: v1}\n`, field: '', says: /unknown field/ },
  'an alias': { text: `${kubeconfig()}extensions: &a [x]\npreferences: *a\n`, field: '', says: /aliases/ },
}

/** Loopback and link-local in every notation that URL parsing knows. */
const inner = [
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0',
  '0.0.0.0',
  '①②⑦.0.0.1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '169.254.169.254',
  '[::ffff:169.254.169.254]',
  '0xa9fea9fe',
  '[fe80::1]',
  '[febf::1]',
  '[64:ff9b::a9fe:a9fe]',
]

t.test('kubeconfigs with only permitted fields are accepted', async t => {
  for (const [what, text] of Object.entries(accepted)) {
    const verdict = parseKubeconfig(text, options)
    t.ok('access' in verdict, `${what}: ${'refused' in verdict ? verdict.refused.sentence : ''}`)
  }
})

t.test('RE-25 the message about a refused kubeconfig names the field and says why', async t => {
  for (const [what, { text, field, says }] of Object.entries(refused)) {
    const verdict = parseKubeconfig(text, options)
    matches(t, 'refused' in verdict ? verdict.refused : undefined, { field, sentence: says }, what)
    if ('refused' in verdict && field) t.ok(verdict.refused.sentence.startsWith(field), what)
  }
})

t.test('KY-196 an inner address that is refused is named, any other host is not', async t => {
  const sentenceFor = (host: string) => {
    const verdict = parseKubeconfig(server(`https://${host}:6443`), { allowedHosts: ['*.example.com'] })
    return 'refused' in verdict ? verdict.refused.sentence : ''
  }
  for (const host of ['127.0.0.1', '[::1]', '169.254.169.254', 'localhost'])
    t.ok(sentenceFor(host).includes(`points to ${host.replaceAll(/[[\]]/g, '')}, which`), sentenceFor(host))
  t.ok(sentenceFor('pa55word').includes('points to a host that is not an allowed host'))
  lacks(t, sentenceFor('pa55word'), 'pa55word')
})

t.test('RE-25 loopback and link-local are refused in every notation, unless listed exactly', async t => {
  for (const host of inner) {
    const verdict = parseKubeconfig(server(`https://${host}:6443`), {
      allowedHosts: ['*', '*.0.0.1', 'api.example.com'],
    })
    matches(
      t,
      'refused' in verdict ? verdict.refused : undefined,
      { field: `${cluster}.server`, sentence: /not list it exactly/ },
      host,
    )
    t.ok('access' in parseKubeconfig(server(`https://${host}:6443`), { allowedHosts: [host] }), `${host}, listed`)
  }
  for (const address of [
    '10.0.0.1',
    '192.168.1.1',
    '8.8.8.8',
    '::ffff:8.8.8.8',
    '2001:db8::1',
    'fd00::1',
    '64:ff9b::808:808',
  ])
    t.notOk(isInner(address), address)
})

/** Where clouds serve credentials, as such and through NAT64, 6to4 and the IPv6 ways to write IPv4. */
const metadata = [
  ...['169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'],
  ...['::ffff:169.254.169.254', '::ffff:100.100.100.200', '::ffff:0:100.100.100.200', '::100.100.100.200'],
  ...['64:ff9b::169.254.169.254', '64:ff9b::100.100.100.200', '64:ff9b::127.0.0.1'],
  ...['64:ff9b:1::169.254.169.254', '64:ff9b:1:6464:64:c800::', '2002:a9fe:a9fe::1', '2002:6464:64c8::'],
]

const isAllowed = (address: string, allowedHosts: readonly string[]): boolean =>
  'access' in parseKubeconfig(server(`https://${isIPv6(address) ? `[${address}]` : address}:6443`), { allowedHosts })

t.test('RE-31 addresses where clouds keep credentials are allowed only if they are listed exactly', async t => {
  for (const address of metadata) {
    t.notOk(isAllowed(address, ['*', `*${address.slice(3)}`, '*.internal']), address)
    t.ok(isAllowed(address, ['*', address]), `${address}, listed`)
  }
  for (const neighbour of [
    '100.100.100.199',
    '168.63.129.17',
    '192.0.0.191',
    'fd00:ec1::254',
    '64:ff9b::100.100.100.199',
  ])
    t.ok(isAllowed(neighbour, ['*']), neighbour)
})

t.test('RE-31 a name that resolves to where a cloud keeps credentials is not dialled', async t => {
  for (const address of metadata) {
    const lookup = guardedLookup('metadata.internal', ['*'], (_, __, callback) =>
      callback(null, [{ address, family: isIPv6(address) ? 6 : 4 }]),
    )
    const found = await new Promise(done => lookup?.('metadata.internal', {}, done))
    matches(t, found, { name: 'AccessError', reason: 'Refused', message: /metadata server of a cloud/ }, address)
  }
  t.equal(guardedLookup('metadata.internal', ['metadata.internal']), undefined, 'listed exactly, it may')
})

t.test('RE-25 judging a kubeconfig runs no process, reads no file and dials nothing', async t => {
  const texts = [
    ...Object.values(refused).map(({ text }) => text),
    ...inner.map(host => server(`https://${host}`)),
    ...Object.values(accepted),
  ]
  const touched = touchedBy(() => {
    for (const text of texts) parseKubeconfig(text, options)
  })
  t.strictSame(touched, [])
  t.ok(touchedBy(() => fs.readFileSync('/etc/hostname')).includes('readFileSync'), 'the watch sees what is touched')
})

t.test('RE-23 YAML bombs are refused before they unfold', async t => {
  const bombs: Record<string, string> = {
    'a billion laughs': `a: &a [${'x,'.repeat(9)}x]\n${[...'bcdefghi'].map((key, i) => `${key}: &${key} [${`*${'abcdefgh'[i]},`.repeat(9)}x]`).join('\n')}`,
    'merge keys': `a: &a {x: 1}\n${'<<: *a\n'}`,
    'deep lists': '['.repeat(100_000),
    'deep maps': '{a: '.repeat(30_000),
    'deep blocks': '- '.repeat(60_000),
    'many keys': Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`).join('\n'),
    'many documents': '---\n'.repeat(50_000),
    'a long text': `a: ${'x'.repeat(300_000)}`,
    'many tags': '!'.repeat(200_000),
    'many backslashes': `"${'\\'.repeat(200_001)}`,
    'within a kubeconfig': kubeconfig({ user: { exec: Array.from({ length: 5_000 }, (_, i) => ({ [`k${i}`]: i })) } }),
  }
  for (const [what, text] of Object.entries(bombs)) {
    const judged = () => {
      const verdict = parseKubeconfig(text, options)
      const refused = 'refused' in verdict ? verdict.refused : undefined
      matches(t, refused, { field: '', sentence: /larger than|more than|not valid YAML|aliases/ }, what)
    }
    await isQuick(t, judged, what)
  }
})

t.test('RE-23 a kubeconfig with endless slashes or blanks is judged, and its address used, at once', async t => {
  const long = 200_000
  const blanks = `${' '.repeat(long)}!`
  const texts = {
    'slashes in the address': server(`https://api.example.com${'/'.repeat(long)}a`),
    'blanks in an authority': kubeconfig({ cluster: { 'certificate-authority-data': blanks } }),
    'blanks in a certificate': kubeconfig({ user: { ...certificate, 'client-certificate-data': blanks } }),
    'blanks in a key': kubeconfig({ user: { ...certificate, 'client-key-data': blanks } }),
  }
  for (const [what, text] of Object.entries(texts)) {
    const used = async () => {
      const verdict = parseKubeconfig(text, options)
      if (!('access' in verdict)) return
      const lookup: LookupFunction = (_, __, done) => done(gone, '')
      const nowhere = { ...verdict.access, lookup }
      await rejects(t, createClient(nowhere).raw({ method: 'GET', path: '/version' }), { name: 'ConnectionError' })
    }
    await isQuick(t, used, what)
  }
})

const gone = Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })

t.test('RE-22 a kubeconfig with odd keys changes no prototype', async t => {
  parseKubeconfig('__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}\n', options)
  t.equal(Reflect.get({}, 'polluted'), undefined)
})

t.test('a client reaches a server through its kubeconfig, by token and by certificate', async t => {
  const api = await scriptedServer(t, (_, answer) => json(answer, 200, configMap('a')), { tls: serving })
  for (const user of [{ token: 'a-token' }, certificate]) {
    const verdict = parseKubeconfig(kubeconfig({ cluster: { server: `${api.url}/prefix/` }, user }), {
      allowedHosts: ['127.0.0.1'],
    })
    if (!('access' in verdict)) throw new Error(verdict.refused.sentence)
    const client = createClient(verdict.access)
    t.teardown(client.close)
    t.ok(await client.get(ref))
  }
  t.strictSame(
    api.asked.map(({ path }) => path),
    Array(2).fill('/prefix/api/v1/namespaces/default/configmaps/a'),
  )
  t.equal(api.asked[0]?.headers.authorization, 'Bearer a-token')
})

t.test(
  'RE-25 KY-196 a name that resolves to loopback is refused by name at the dial, and nothing is dialled',
  async t => {
    const api = await scriptedServer(t, (_, answer) => json(answer, 200, configMap('a')), {
      tls: serving,
      host: '127.0.0.1',
    })
    const url = `https://localhost:${api.port}`
    const ca = authority.certificate
    const through = (lookup: ReturnType<typeof guardedLookup>) => {
      const client = createClient({ server: url, credentials: () => ({ ca }), lookup })
      t.teardown(client.close)
      return client.get(ref)
    }
    await rejects(t, through(guardedLookup('localhost', ['*'])), {
      name: 'AccessError',
      reason: 'Refused',
      message: /^at localhost:\d+: the host name resolves to a loopback/,
      host: 'localhost',
    })
    t.equal(api.dials(), 0)
    t.equal(guardedLookup('localhost', ['localhost']), undefined, 'listed exactly, it may')
    t.ok(await through(undefined))
  },
)

t.test(
  'RE-25 a name server that gives another address the second time: only the address that was checked is dialled',
  async t => {
    const answers = ['203.0.113.5', '127.0.0.1']
    const resolve: Parameters<typeof guardedLookup>[2] = (_, __, callback) =>
      callback(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }])
    const lookup = guardedLookup('rebind.example', ['*'], resolve)
    if (!lookup) throw new Error('the name is not listed')
    const resolved = (all: boolean) =>
      new Promise(done => lookup('rebind.example', { all }, (error, address) => done(error ?? address)))
    t.strictSame(
      await resolved(true),
      [{ address: '203.0.113.5', family: 4 }],
      'one question, and its answer is what is dialled',
    )
    matches(t, await resolved(false), { name: 'AccessError' }, 'the next dial asks and judges anew')
    const mixed = guardedLookup('mixed.example', ['*'], (_, __, callback) =>
      callback(null, [
        { address: '203.0.113.5', family: 4 },
        { address: 'fe80::1%eth0', family: 6 },
      ]),
    )
    matches(
      t,
      await new Promise(done => mixed?.('mixed.example', {}, done)),
      { name: 'AccessError' },
      'one inner address is enough',
    )
  },
)

t.test('a person’s own kubeconfig may run a program', async t => {
  const api = await scriptedServer(t, (_, answer) => json(answer, 200, configMap('a')), { tls: serving })
  const directory = testFolder(t)
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'from-a-program' },
  }
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`],
    interactiveMode: 'Never',
  }
  const file = join(directory, 'config')
  writeFileSync(file, kubeconfig({ cluster: { server: api.url }, user: { token: undefined, exec } }))
  const client = createClient(await ownKubeconfigAccess({ files: [file] }))
  t.teardown(client.close)
  await client.get(ref)
  await client.get(ref)
  t.strictSame(
    api.asked.map(({ headers }) => headers.authorization),
    Array(2).fill('Bearer from-a-program'),
  )
  await rejects(t, ownKubeconfigAccess({ files: [file], context: 'nowhere' }), {
    name: 'AccessError',
    reason: 'Missing',
  })
})

const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a' }

/** The functions of Node that lead out of the process and were called meanwhile. */
const touchedBy = (act: () => unknown): string[] => {
  const touched: string[] = []
  const doors = [fs, fsPromises, childProcess, net, dns, http, https, workerThreads]
  const restore = doors.flatMap(door => watched(door, touched))
  restore.push(...watched(tls, touched, name => name === 'connect'))
  syncBuiltinESMExports()
  try {
    act()
  } finally {
    for (const undo of restore) undo()
    syncBuiltinESMExports()
  }
  return touched
}

const watched = (door: object, touched: string[], counts = (name: string) => !pure.has(name)): (() => void)[] =>
  Object.entries(door)
    .filter(([name, value]) => typeof value === 'function' && counts(name) && !/^[A-Z]/.test(name))
    .map(([name, original]) => {
      const note = (...parameters: unknown[]) => {
        touched.push(name)
        return original(...parameters)
      }
      Object.assign(door, { [name]: note })
      return () => Object.assign(door, { [name]: original })
    })

/** They only look at their parameters. */
const pure = new Set(['isIP', 'isIPv4', 'isIPv6'])
