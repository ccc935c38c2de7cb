// Reviews as a whole: what comes before the rules, and what is filled in. Bodies made to do harm are hostile.test.ts's matter.
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { gardenAdmission } from '../../../functions/garden-admission/index.ts'
import { fill, review } from '../../../functions/garden-admission/review.ts'
import { idlePaths } from '../../../functions/garden-admission/rules/warnings.ts'
import { jsonPatch } from '../../../shared/core/json/json-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { lacks, matches } from '../../harness/matches.ts'
import { MemoryCluster, refusal } from '../../http/memory-cluster.ts'
import { type Garden, garden, gardenWith, sample } from '../../make/garden/garden.ts'
import { annotated, causesOf, filled, leaving, older, readsOf, request, smallest, verdictOn } from './reviews.ts'
import { asked, hostOf, sent } from './webhooks.ts'

t.test('GA-01 what is no review is HTTP 400 with the reason; the next is served', async t => {
  const host = hostOf()
  const cases: [sentence: string, body: unknown][] = [
    ['no JSON', '{"kind":'],
    ['no AdmissionReview', { apiVersion: 'admission.k8s.io/v1', kind: 'Garden' }],
    ['no uid', asked({ uid: undefined })],
  ]
  for (const [sentence, body] of cases) {
    const answer = await sent(body, { host })
    t.equal(answer.statusCode, 400, sentence)
    matches(t, answer.json().message, /./, sentence)
    matches(t, (await sent(asked({ object: smallest() }), { host })).json(), { response: { allowed: true } })
  }
})

t.test('GA-02 a body over 7 MiB is refused', async t => {
  t.equal((await sent(' '.repeat(7 * 2 ** 20 + 1))).statusCode, 413)
})

t.test('GA-02 of a body over 7 MiB nothing is read once it is known to be one', async t => {
  const limit = 7 * 2 ** 20
  for (const [sentence, header, code] of [
    ['announced', `content-length: ${64 * 2 ** 20}`, 413],
    ['in chunks, which nobody can know the length of', 'transfer-encoding: chunked', 411],
  ] as const) {
    const { read, codes } = await sentWithoutEnd(t, header)
    t.strictSame(codes, [code], sentence)
    t.ok(read < 2 * limit, `${sentence}: ${read} bytes were read`)
  }
})

/** Sends 64 MiB as fast as they are taken, and tells how much of it was by the time the connection was over. */
const sentWithoutEnd = async (t: Test, header: string) => {
  const { webhooks } = hostOf()
  t.teardown(() => webhooks.close())
  const codes: number[] = []
  // Asked of the host: to a sender that goes on sending the answer may be lost with the connection.
  webhooks.addHook('onResponse', async (_, { statusCode }) => void codes.push(statusCode))
  await webhooks.listen({ host: '127.0.0.1', port: 0 })
  const taken = once(webhooks.server, 'connection')
  const socket = connect((webhooks.server.address() as AddressInfo).port, '127.0.0.1')
  const [server] = (await taken) as [Socket]
  const over = Promise.withResolvers<void>()
  server.on('close', over.resolve)
  // That it cannot go on sending is what is hoped for.
  socket.on('error', () => socket.destroy())
  const path = '/webhooks/validate-operator-gardener-cloud-v1alpha1-garden'
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${header}\r\n\r\n`)
  const part = ' '.repeat(2 ** 16)
  const chunk = header.startsWith('transfer') ? `10000\r\n${part}\r\n` : part
  for (let sent = 0; sent < 1_024 && !socket.destroyed; sent++) {
    const drained = new Promise(resolve => socket.once('drain', resolve))
    if (!socket.write(chunk)) await Promise.race([drained, over.promise])
  }
  await over.promise
  socket.destroy()
  return { read: server.bytesRead, codes }
}

t.test('GA-03 reviews in v1 and v1beta1 are answered, others refused with 400', async t => {
  for (const version of ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'])
    matches(t, (await sent(asked({ object: smallest() }, version))).json(), {
      apiVersion: version,
      response: { allowed: true },
    })
  const answer = await sent(asked({ object: smallest() }, 'admission.k8s.io/v2'))
  t.equal(answer.statusCode, 400)
  matches(t, answer.json().message, /expected admission\.k8s\.io\/v1 or v1beta1/)
})

t.test('GA-04 other content types, methods, kinds, and CONNECT', async t => {
  t.equal((await sent('a: b', { headers: { 'content-type': 'application/yaml' } })).statusCode, 415)
  t.equal((await sent('', { method: 'GET' })).statusCode, 405)
  const kind = { group: '', version: 'v1', kind: 'Secret' }
  matches(t, (await sent(asked({ kind, object: smallest() }))).json(), {
    response: { allowed: false, status: { code: 400 } },
  })
  matches(t, (await sent(asked({ operation: 'CONNECT' }))).json(), { response: { allowed: true } })
})

t.test('creations, updates and refusals of 64 callers at once get each its own verdict', async t => {
  const host = hostOf()
  const stored = filled(sample('garden-full'))
  const longer = { ...stored, metadata: { ...stored.metadata, labels: { a: 'b' } } }
  const kinds = [
    { to: 'defaulting', change: { object: sample('garden-full') }, isAllowed: true },
    { to: 'validation', change: { object: stored }, isAllowed: true },
    { to: 'validation', change: { operation: 'UPDATE', object: longer, oldObject: stored }, isAllowed: true },
    { to: 'validation', change: { operation: 'DELETE', oldObject: stored }, isAllowed: false },
  ] as const
  for (const callers of [1, 16, 64]) {
    const verdicts = Array.from({ length: callers }, async (_, n) => {
      const { to, change, isAllowed } = kinds[n % kinds.length] ?? kinds[0]
      const { response } = (await sent(asked({ uid: `review-${n}`, ...change }), { to, host })).json()
      return response.uid === `review-${n}` && response.allowed === isAllowed
    })
    t.notOk((await Promise.all(verdicts)).includes(false), `${callers} at once`)
  }
})

t.test('GA-05 a dry run has the same verdict, and nothing is written', async t => {
  const cluster = new MemoryCluster()
  const host = hostOf(cluster)
  const broken = gardenWith({ 'spec.virtualCluster.kubernetes.version': '1.0.0' }, smallest())
  for (const to of ['defaulting', 'validation'] as const) {
    for (const object of [garden(), smallest(), broken]) {
      const [dry, real] = await Promise.all(
        [true, false].map(dryRun => sent(asked({ object, dryRun }), { to, host }).then(answer => answer.json())),
      )
      t.strictSame(dry, real)
    }
  }
  t.strictSame(cluster.writes, [])
})

t.test('GA-06 Gardens that cannot be listed: denied with the cause, the next is judged anew', async t => {
  const cluster = new MemoryCluster()
  const host = hostOf(cluster)
  cluster.trouble = refusal(403, 'Forbidden')
  const denied = (await sent(asked({ object: smallest() }), { host })).json().response
  matches(t, denied, { allowed: false, status: { code: 500, message: /Forbidden/ } })
  lacks(t, JSON.stringify(denied), /\.ts|at /, 'no stack')
  cluster.trouble = undefined
  matches(t, (await sent(asked({ object: smallest() }), { host })).json().response, { allowed: true })
})

t.test('GA-06 a rule that throws: denied with the cause, the next is judged anew', async t => {
  let isBroken = true
  const throwing = () => {
    if (isBroken) throw new TypeError('a rule without a guard')
    return { allowed: true as const }
  }
  const host = hostOf(new MemoryCluster(), { ...gardenAdmission, review: throwing })
  const denied = (await sent(asked({ object: smallest() }), { host })).json().response
  matches(t, denied, { allowed: false, status: { code: 500, message: 'a rule without a guard' } })
  lacks(t, JSON.stringify(denied), /\.ts|at /, 'no stack')
  isBroken = false
  matches(t, (await sent(asked({ object: smallest() }), { host })).json().response, { allowed: true })
})

t.test('GA-07 there is one Garden, be it in deletion, and that comes before any rule', async t => {
  const others = [garden({ metadata: { name: 'other', deletionTimestamp: '2026-01-01T00:00:00Z' } })]
  const broken = gardenWith({ 'spec.virtualCluster.kubernetes.version': '1.0.0' }, smallest())
  t.strictSame(await review(request({ object: broken }), { reads: readsOf(...others) }), {
    allowed: false,
    code: 400,
    reason: 'BadRequest',
    message: 'there can be only one operator.gardener.cloud/v1alpha1.Garden resource in the system at a time',
  })
})

t.test('GA-08 a Garden created with a finalizer of Gardener is refused', async t => {
  for (const finalizer of ['gardener.cloud/operator', 'gardener.cloud/reference-protection'])
    matches(t, await verdictOn(filled(garden({ metadata: { finalizers: ['example.com/x', finalizer] } }))), {
      allowed: false,
      code: 400,
      message: `finalizer "${finalizer}" cannot be added on creation`,
    })
  matches(t, await verdictOn(filled(garden({ metadata: { finalizers: ['example.com/x'] } }))), { allowed: true })
})

t.test('GA-09 a deletion without the confirmation is refused', async t => {
  const deletion = (value?: string): unknown =>
    review(
      request({
        operation: 'DELETE',
        oldObject: garden({
          metadata: { annotations: value === undefined ? {} : { confirmation: 'x', [confirmation]: value } },
        }),
      }),
      { reads: readsOf() },
    )
  const confirmation = 'confirmation.gardener.cloud/deletion'
  for (const yes of ['1', 't', 'T', 'TRUE', 'true', 'True']) matches(t, await deletion(yes), { allowed: true }, yes)
  for (const no of [undefined, '', '0', 'false', 'yes', 'tRUE', ' true'])
    t.strictSame(await deletion(no), {
      allowed: false,
      code: 403,
      reason: 'Forbidden',
      message: 'must have a "confirmation.gardener.cloud/deletion" annotation to delete',
    })
})

t.test('GA-11 deletion never sticks: whoever leaves the spec alone is let through', async t => {
  const broken = leaving(gardenWith({ 'spec.virtualCluster.kubernetes.version': '1.0.0' }))
  const freed = { ...broken, metadata: { ...broken.metadata, finalizers: [] } } as Garden
  t.strictSame(fill(request({ operation: 'UPDATE', object: freed, oldObject: broken })), {
    allowed: true,
    object: freed,
  })
  matches(t, await verdictOn(freed, broken), { allowed: true })
  const unshaped = { ...broken, spec: { runtimeCluster: 1 } } as unknown as Garden
  matches(t, await verdictOn(unshaped, unshaped), { allowed: true }, 'nor need the spec have the shape of today')
  const unlifted = leaving(gardenWith({ 'spec.virtualCluster.kubernetes.version': '1.0.0' }, older() as Garden))
  matches(t, await verdictOn(filled(unlifted), unlifted), { allowed: true }, 'nor be in the spelling of today')
  for (const object of [broken, unshaped]) {
    const asking = annotated('rotate-ca-start', object)
    matches(t, await verdictOn(asking, asking), { allowed: true }, 'an operation asked for before does not hold it up')
  }
  matches(t, await verdictOn(gardenWith({ 'spec.virtualCluster.kubernetes.version': '1.0.1' }, broken), broken), {
    allowed: false,
  })
})

const operationField = 'Forbidden metadata.annotations[gardener.cloud/operation]: Forbidden: '
const operated = (operation: string, object: Garden = smallest()): Promise<string[]> =>
  causesOf(annotated(operation, object), object)

t.test('GA-12 operations are trimmed, each counts once, empty ones do not', async t => {
  t.strictSame(await operated(' reconcile ;rotate-observability-credentials;reconcile;'), [])
  t.strictSame(await operated(''), [])
  const once = await operated('rotate-ca-start', phases('Preparing'))
  t.equal(once.length, 1)
  t.strictSame(await operated(' rotate-ca-start;;rotate-ca-start ;', phases('Preparing')), once, 'refused once as well')
})

const supported = [
  'reconcile',
  ...['rotate-ca-complete', 'rotate-ca-start', 'rotate-credentials-complete', 'rotate-credentials-start'],
  ...['rotate-etcd-encryption-key', 'rotate-etcd-encryption-key-complete', 'rotate-etcd-encryption-key-start'],
  'rotate-observability-credentials',
  ...['rotate-serviceaccount-key-complete', 'rotate-serviceaccount-key-start'],
  ...['rotate-workload-identity-key-complete', 'rotate-workload-identity-key-start'],
]

t.test('GA-13 of several operations the unknown one alone is told', async t => {
  for (const token of ['rotate-everything', 'rotate-workload-identity-key']) {
    const causes = await operated(`reconcile;${token};rotate-ca-start`)
    t.equal(causes.length, 1)
    const values = supported.map(operation => `"${operation}"`).join(', ')
    t.equal(
      causes[0],
      `NotSupported metadata.annotations[gardener.cloud/operation]: Unsupported value: "${token}": supported values: ${values}`,
    )
  }
})

const phases = (phase: string): Garden =>
  gardenWith(
    Object.fromEntries(
      ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey', 'workloadIdentityKey'].map(field => [
        `status.credentials.rotation.${field}`,
        { phase },
      ]),
    ),
    smallest(),
  )

t.test('GA-14 a Garden in deletion rotates nothing', async t => {
  const called: [token: string, sentence: string][] = [
    ['rotate-ca-start', 'cannot start CA rotation'],
    ['rotate-ca-complete', 'cannot complete CA rotation'],
    ['rotate-serviceaccount-key-start', 'cannot start service account key rotation'],
    ['rotate-serviceaccount-key-complete', 'cannot complete service account key rotation'],
    ['rotate-etcd-encryption-key', 'cannot start ETCD encryption key rotation'],
    ['rotate-etcd-encryption-key-start', 'cannot start ETCD encryption key rotation'],
    ['rotate-etcd-encryption-key-complete', 'cannot complete ETCD encryption key rotation'],
    ['rotate-workload-identity-key-start', 'cannot start workload identity key rotation'],
    ['rotate-workload-identity-key-complete', 'cannot complete workload identity key rotation'],
    ['rotate-observability-credentials', 'cannot start Observability credentials rotation'],
    ['rotate-credentials-start', 'cannot start rotation of all credentials'],
    ['rotate-credentials-complete', 'cannot complete rotation of all credentials'],
  ]
  for (const [token, sentence] of called) {
    const object = leaving(phases(token.endsWith('complete') ? 'Prepared' : 'Completed'))
    t.strictSame(
      await operated(token, object),
      [`${operationField}${sentence} if garden has deletion timestamp`],
      token,
    )
  }
  t.strictSame(await operated('reconcile', leaving(smallest())), [])
})

const single: [token: string, called: string, field: string][] = [
  ['rotate-ca', 'CA rotation', 'certificateAuthorities'],
  ['rotate-serviceaccount-key', 'service account key rotation', 'serviceAccountKey'],
  ['rotate-etcd-encryption-key', 'ETCD encryption key rotation', 'etcdEncryptionKey'],
  ['rotate-workload-identity-key', 'workload identity key rotation', 'workloadIdentityKey'],
]

t.test('GA-15 a rotation begins when none is under way, and completes when it is prepared', async t => {
  for (const [token, called, field] of single) {
    const starts = token === 'rotate-etcd-encryption-key' ? [token, `${token}-start`] : [`${token}-start`]
    for (const start of starts) {
      for (const phase of ['', 'Completed']) t.strictSame(await operated(start, phases(phase)), [], `${start} ${phase}`)
      t.strictSame(await operated(start), [], `${start} for the first time`)
      for (const phase of ['Preparing', 'Prepared', 'Completing'])
        t.strictSame(await operated(start, phases(phase)), [
          `${operationField}cannot start ${called} if .status.credentials.rotation.${field}.phase is not 'Completed'`,
        ])
    }
    t.strictSame(await operated(`${token}-complete`, phases('Prepared')), [])
    for (const phase of ['', 'Preparing', 'Completing', 'Completed'])
      t.strictSame(await operated(`${token}-complete`, phases(phase)), [
        `${operationField}cannot complete ${called} if .status.credentials.rotation.${field}.phase is not 'Prepared'`,
      ])
  }
})

t.test('GA-16 the joint rotation tells each credential that is not ready', async t => {
  t.strictSame(await operated('rotate-credentials-start', phases('Completed')), [])
  t.strictSame(
    await operated('rotate-credentials-start', phases('Preparing')),
    single.map(
      ([, , field]) =>
        `${operationField}cannot start rotation of all credentials if .status.credentials.rotation.${field}.phase is not 'Completed'`,
    ),
  )
  t.strictSame(await operated('rotate-credentials-complete', phases('Prepared')), [])
  t.equal((await operated('rotate-credentials-complete', phases('Preparing'))).length, 4)
  t.equal((await operated('rotate-credentials-complete', phases('Completed'))).length, 3, 'the encryption key is done')
  const names = ['certificateAuthorities', 'serviceAccountKey', 'workloadIdentityKey']
  const others = Object.fromEntries(names.map(name => [name, { phase: 'Prepared' }]))
  const etcdIn = (phase: string): Garden =>
    gardenWith({ 'status.credentials.rotation': { ...others, etcdEncryptionKey: { phase } } }, smallest())
  for (const [phase, faults] of [
    ['Completing', 0],
    ['Completed', 0],
    ['Preparing', 1],
    ['', 1],
  ] as const)
    t.equal((await operated('rotate-credentials-complete', etcdIn(phase))).length, faults, phase)
})

t.test('GA-17 the one-shot rotation of the etcd key is not asked for together with its steps', async t => {
  const together = await operated('rotate-etcd-encryption-key;rotate-etcd-encryption-key-start')
  t.equal(together.length, 1)
  matches(t, together[0], new RegExp(`^${operationField.replace(/[[\].]/g, '\\$&')}`))
  t.equal(
    (await operated('rotate-etcd-encryption-key;rotate-etcd-encryption-key-complete', phases('Completed'))).length,
    2,
  )
})

t.test('GA-328 the etcd key rotates in steps at every Kubernetes version', async t => {
  for (const version of ['1.33.1', '1.34.0', '1.36.2']) {
    const at = (phase: string) => gardenWith({ 'spec.virtualCluster.kubernetes.version': version }, phases(phase))
    t.strictSame(await operated('rotate-etcd-encryption-key-start', at('Completed')), [], version)
    t.strictSame(await operated('rotate-etcd-encryption-key-complete', at('Prepared')), [], version)
  }
})

t.test('GA-15 an operation is judged when it is asked for, not in each later update', async t => {
  const asking = annotated('rotate-ca-start', phases('Preparing'))
  t.strictSame(await causesOf(asking, asking), [])
})

t.test(
  'GA-13 GA-14 GA-15 who changes the operations answers for those they add, not for those that were there',
  async t => {
    const changed = (from: string, to: string, object: Garden) =>
      causesOf(annotated(to, object), annotated(from, object))
    t.strictSame(await changed('rotate-ca-start', 'rotate-ca-start;reconcile', phases('Preparing')), [])
    t.strictSame(await changed('rotate-ca-start;reconcile', 'rotate-ca-start', leaving(smallest())), [])
    t.strictSame(await changed('rotate-everything', 'reconcile;rotate-everything', smallest()), [])
    t.equal((await changed('reconcile', 'reconcile;rotate-everything', smallest())).length, 1)
    t.equal((await changed('reconcile', 'reconcile;rotate-ca-start', leaving(smallest()))).length, 1)
    t.equal((await changed('reconcile', 'reconcile;rotate-ca-start', phases('Preparing'))).length, 1)
  },
)

t.test('GA-17 a step that is added to the one-shot rotation, and the other way round', async t => {
  const [shot, start] = ['rotate-etcd-encryption-key', 'rotate-etcd-encryption-key-start']
  for (const first of [shot, start])
    t.equal((await causesOf(annotated(`${shot};${start}`), annotated(first))).length, 1, `after ${first}`)
})

const patchOf = (object: KubeObject) => jsonPatch(object, filled(object))

t.test('GA-50 exactly the defaults are added', async t => {
  t.strictSame(
    patchOf(garden()).map(({ op, path, ...rest }) => [op, path, 'value' in rest && rest.value]),
    [
      ['add', '/spec/runtimeCluster/networking/ipFamilies', ['IPv4']],
      [
        'add',
        '/spec/virtualCluster/gardener/gardenerAPIServer',
        { encryptionConfig: { provider: { type: 'aescbc' } } },
      ],
      [
        'add',
        '/spec/virtualCluster/kubernetes/kubeAPIServer',
        {
          requests: { maxNonMutatingInflight: 400, maxMutatingInflight: 200 },
          eventTTL: '1h',
          logging: { verbosity: 2 },
          encryptionConfig: { provider: { type: 'aescbc' } },
        },
      ],
      ['add', '/spec/virtualCluster/kubernetes/kubeControllerManager', {}],
    ].sort(([, one = ''], [, other = '']) => (one < other ? -1 : 1)),
  )
  t.strictSame(patchOf(smallest()), [], 'a defaulted one is left alone')
  const ka = 'spec.virtualCluster.kubernetes.kubeAPIServer'
  const explicit = gardenWith(
    {
      [`${ka}.requests`]: { maxNonMutatingInflight: 0, maxMutatingInflight: 0 },
      [`${ka}.eventTTL`]: '',
      [`${ka}.logging.verbosity`]: 0,
      [`${ka}.encryptionConfig.provider.type`]: 'secretbox',
      [`${ka}.enableAnonymousAuthentication`]: false,
      'spec.runtimeCluster.networking.ipFamilies': ['IPv6'],
      'spec.virtualCluster.kubernetes.kubeControllerManager': {},
    },
    garden(),
  )
  t.strictSame(
    patchOf(explicit),
    [
      {
        op: 'add',
        path: '/spec/virtualCluster/gardener/gardenerAPIServer',
        value: { encryptionConfig: { provider: { type: 'secretbox' } } },
      },
    ],
    'what is given stays; the type of gardenerAPIServer is that of kubeAPIServer',
  )
  t.strictSame(fill(request({ operation: 'DELETE', oldObject: garden() })), { allowed: true })
})

t.test('GA-181 no family is IPv4, be the list absent or empty', async t => {
  const at = 'spec.runtimeCluster.networking.ipFamilies'
  for (const families of [undefined, null, []]) {
    const object = gardenWith({ [at]: families }, smallest())
    t.strictSame(filled(object).spec.runtimeCluster.networking.ipFamilies, ['IPv4'], JSON.stringify(families))
    t.strictSame(await causesOf(filled(object)), [])
  }
  t.strictSame(patchOf(gardenWith({ [at]: [] }, smallest())), [
    { op: 'add', path: '/spec/runtimeCluster/networking/ipFamilies/0', value: 'IPv4' },
  ])
  for (const families of [['IPv6'], ['IPv6', 'IPv4'], ['other']]) {
    const object = gardenWith({ [at]: families }, smallest())
    t.equal(filled(object), object, 'what is given stays')
  }
})

const today = (): Garden => gardenWith({ 'spec.runtimeCluster.networking.nodes': ['10.0.0.0/16'] })

t.test('GA-51 older spellings are lifted, all at once', async t => {
  t.strictSame(filled(older()), filled(today()))
  const plain = gardenWith({
    'spec.virtualCluster.dns.domains': ['a.example.com', 'b.example.com'],
    'spec.runtimeCluster.ingress.domains': ['c.example.com'],
  })
  matches(t, filled(plain).spec, {
    virtualCluster: { dns: { domains: [{ name: 'a.example.com' }, { name: 'b.example.com' }] } },
    runtimeCluster: { ingress: { domains: [{ name: 'c.example.com' }] } },
  })
  t.strictSame(await causesOf(filled(older() as Garden)), [])
})

t.test('GA-52 an older field beside today’s', async t => {
  const beside = (domain: string): Garden =>
    gardenWith({
      'spec.virtualCluster.dns.domain': domain,
      'spec.runtimeCluster.ingress.domain': 'ingress.runtime.garden.example.com',
    })
  t.strictSame(filled(beside('virtual.garden.example.com')), smallest(), 'equal: dropped')
  matches(t, await causesOf(filled(beside('other.example.com'))), [
    /^Invalid virtualCluster\.dns\.domain: Invalid value: "other\.example\.com": /,
  ])
  const stored = filled(today())
  t.strictSame(
    filled({ ...stored, spec: mixed(older().spec, stored.spec) } as Garden),
    stored,
    'applied again: no change',
  )
})

/** What a merge patch of an older manifest makes of a stored spec. */
const mixed = (older: unknown, stored: unknown): unknown =>
  typeof older === 'object' && older !== null && !Array.isArray(older)
    ? {
        ...(stored as object),
        ...Object.fromEntries(
          Object.entries(older).map(([field, value]) => [
            field,
            mixed(value, (stored as Record<string, unknown>)?.[field]),
          ]),
        ),
      }
    : older

t.test('GA-53 GA-161 fields without effect are allowed, one warning names each', async t => {
  const verdict = await verdictOn(filled(sample('garden-full')))
  if (!verdict.allowed) return t.fail(verdict.message)
  const idle = (verdict.warnings ?? []).filter(warning => warning.endsWith('has no effect'))
  const warned = idle.map(warning => warning.split(' ')[0])
  t.strictSame(warned, [...new Set(warned)])
  t.strictSame(warned, idlePaths, 'the full sample has every one of them')
  for (const path of [
    'spec.dns',
    'spec.extensions',
    'spec.runtimeCluster.provider.region',
    'spec.runtimeCluster.settings.persistentVolumeClaimAutoscaler',
    'spec.runtimeCluster.volume',
    'spec.runtimeCluster.settings.loadBalancerServices.proxyProtocol',
    'spec.virtualCluster.etcd.main.backup.region',
    'spec.virtualCluster.etcd.main.backup.providerConfig',
    'spec.virtualCluster.gardener.gardenerDashboard',
  ])
    t.ok(warned.includes(path), path)
  const backup = { provider: 'local', secretRef: { name: 's' } }
  matches(t, await verdictOn(gardenWith({ 'spec.virtualCluster.etcd.main.backup': backup }, smallest())), {
    allowed: true,
    warnings: [/^spec\.virtualCluster\.etcd\.main\.backup\.bucketName /],
  })
  const unnamed = gardenWith({ 'spec.virtualCluster.etcd.main.backup': { ...backup, bucketName: '' } }, smallest())
  matches(t, await verdictOn(unnamed, unnamed), {
    allowed: true,
    warnings: [/^spec\.virtualCluster\.etcd\.main\.backup\.bucketName /],
  })
  matches(t, await verdictOn(smallest()), { allowed: true, warnings: [] })
})

t.test('GA-361 a first Service range of another family than the Pods of kube-apiserver is warned of', async t => {
  const [four, six] = ['100.64.0.0/16', 'fd00:2::/112']
  const rows: [services: string[], families: string[] | undefined, isWarned: boolean][] = [
    [[four], undefined, false],
    [[six], undefined, true],
    [[six, four], ['IPv4', 'IPv6'], true],
    [[four, six], ['IPv4', 'IPv6'], false],
    [[six], ['IPv6', 'IPv4'], false],
    [[four], ['IPv6'], true],
  ]
  for (const [services, ipFamilies, isWarned] of rows) {
    const runtime = { 'spec.runtimeCluster.networking.ipFamilies': ipFamilies }
    const of = gardenWith({ 'spec.virtualCluster.networking.services': services, ...runtime }, smallest())
    const warnings = isWarned ? [/^spec\.virtualCluster\.networking\.services: kube-apiserver starts only if/] : []
    matches(t, await verdictOn(of), { allowed: true, warnings })
  }
})

t.test('GA-325 deprecated fields are allowed, and warned of in the words of Kubernetes', async t => {
  const servers = ['spec.virtualCluster.kubernetes.kubeAPIServer', 'spec.virtualCluster.gardener.gardenerAPIServer']
  const sizes = servers.map(server => `${server}.watchCacheSizes.default`)
  const anonymous = `${servers[0]}.enableAnonymousAuthentication`
  const start = gardenWith({ 'spec.virtualCluster.kubernetes.version': '1.34.1' }, smallest())
  for (const value of [0, 100]) {
    const set = Object.fromEntries([...sizes.map(path => [path, value]), [anonymous, value > 0]])
    t.strictSame(await verdictOn(gardenWith(set, start)), {
      allowed: true,
      warnings: [
        ...sizes.map(
          path =>
            `${path}: deprecated, forbidden from v1.35 on; remove it, since API servers size their caches themselves`,
        ),
        `${anonymous}: deprecated since v1.32, forbidden from v1.35 on; use "anonymous" of an AuthenticationConfiguration instead`,
      ],
    })
  }
})

t.test('the webhooks of serverless.yml answer as what they are', async t => {
  const [patched, judged] = await Promise.all(
    (['defaulting', 'validation'] as const).map(to =>
      sent(asked({ object: garden() }), { to }).then(answer => answer.json()),
    ),
  )
  t.equal(patched.response.patchType, 'JSONPatch')
  t.strictSame(judged.response, { uid: 'u', allowed: true })
})
