import t from 'tap'
import {
  type EncryptingServer,
  type EncryptionKey,
  type EncryptionMove,
  type EncryptionSeen,
  encryptingServers,
  encryptionMoves,
  fileKeys,
} from '../../../functions/garden-reconcile/rules/rotation/encryption-moves.ts'
import {
  isCompletionDue,
  rotationAfter,
  rotationStart,
} from '../../../functions/garden-reconcile/rules/rotation/phases.ts'
import { seedRenewal, tokenRenewal } from '../../../functions/garden-reconcile/rules/rotation/renewals.ts'
import { rewriting } from '../../../functions/garden-reconcile/rules/rotation/virtual-objects.ts'

import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { type Garden, garden } from '../../make/garden/garden.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute))
const text = (minute: number): string => `2026-01-01T00:0${minute}:00Z`

const changed = (start: Garden, change: object): Garden =>
  mergePatched(start, { status: { credentials: { rotation: change } } }) as Garden

const asked = (start: Garden, token: string, minute: number): Garden =>
  changed(start, rotationStart(start, [token], at(minute)).change)

const ready = (start: Garden, minute: number): Garden => changed(start, rotationAfter(start, true, at(minute)))

const rotationIn = ({ status }: Garden) => status?.credentials?.rotation ?? {}

t.test('a rotation is started, prepared, completed and done, with its times', async t => {
  const rows = [
    ['rotate-ca', 'certificateAuthorities'],
    ['rotate-serviceaccount-key', 'serviceAccountKey'],
    ['rotate-etcd-encryption-key', 'etcdEncryptionKey'],
    ['rotate-workload-identity-key', 'workloadIdentityKey'],
  ] as const
  for (const [token, credential] of rows) {
    const phases: unknown[] = []
    let now = garden()
    const seen = (next: Garden): void => {
      now = next
      phases.push(rotationIn(next)[credential])
    }
    seen(asked(now, `${token}-start`, 1))
    seen(ready(now, 2))
    seen(asked(now, `${token}-complete`, 3))
    seen(ready(now, 4))
    seen(asked(now, `${token}-start`, 5))
    const begun = { lastInitiationTime: text(1) }
    t.strictSame(phases, [
      { phase: 'Preparing', ...begun },
      { phase: 'Prepared', ...begun, lastInitiationFinishedTime: text(2) },
      {
        phase: 'Completing',
        ...begun,
        lastInitiationFinishedTime: text(2),
        lastCompletionTriggeredTime: text(3),
      },
      { phase: 'Completed', ...begun, lastCompletionTime: text(4) },
      { phase: 'Preparing', lastInitiationTime: text(5), lastCompletionTime: text(4) },
    ])
    t.strictSame(Object.keys(rotationIn(now)), [credential])
  }
})

t.test('GA-102 all credentials are started at one time, and all with phases completed', async t => {
  const started = asked(garden(), 'rotate-credentials-start', 1)
  const phased = ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey', 'workloadIdentityKey'] as const
  const five = [...phased, 'observability'] as const
  t.strictSame(
    five.map(credential => rotationIn(started)[credential]?.lastInitiationTime),
    five.map(() => text(1)),
  )
  const prepared = ready(started, 2)
  t.equal(rotationIn(prepared).observability?.lastCompletionTime, text(2))
  const { change } = rotationStart(prepared, ['rotate-credentials-complete'], at(3))
  t.strictSame(Object.keys(change), phased)
})

t.test('GA-350 the one-shot token completes what is prepared, also after a call that was killed', async t => {
  const started = asked(garden(), 'rotate-etcd-encryption-key', 1)
  t.notOk(isCompletionDue(started))
  const prepared = ready(started, 2)
  t.equal(rotationIn(prepared).etcdEncryptionKey?.phase, 'Prepared')
  t.ok(isCompletionDue(prepared))
  const completing = changed(prepared, rotationStart(prepared, [], at(3)).change)
  t.equal(rotationIn(completing).etcdEncryptionKey?.phase, 'Completing')
  t.notOk(isCompletionDue(completing))
  const completed = ready(completing, 4)
  t.strictSame(rotationIn(completed).etcdEncryptionKey, {
    phase: 'Completed',
    lastInitiationTime: text(1),
    lastCompletionTime: text(4),
  })
  const { change } = rotationStart(completed, ['rotate-etcd-encryption-key-start'], at(5))
  matches(t, change, { etcdEncryptionKey: { autoCompleteAfterPrepared: null } }, 'a flag of an earlier rotation')
  const ca = asked(garden(), 'rotate-ca-start', 1)
  t.notOk(JSON.stringify(rotationAfter(ca, true, at(2))).includes('autoComplete'), 'a flag of the encryption key alone')
  const completingCa = asked(ready(ca, 2), 'rotate-ca-complete', 3)
  t.notOk(JSON.stringify(rotationAfter(completingCa, true, at(4))).includes('autoComplete'))
})

t.test('GA-350 completing all leaves alone an encryption key that is completing or completed', async t => {
  const start = rotationStart(
    garden(),
    [
      ...['rotate-etcd-encryption-key', 'rotate-ca-start', 'rotate-serviceaccount-key-start'],
      'rotate-workload-identity-key-start',
    ],
    at(1),
  )
  const prepared = ready(changed(garden(), start.change), 2)
  const completing = changed(prepared, rotationStart(prepared, [], at(3)).change)
  const completed = ready(completing, 3)
  t.equal(rotationIn(completed).etcdEncryptionKey?.autoCompleteAfterPrepared, undefined)
  for (const one of [completing, completed])
    t.strictSame(rotationStart(one, ['rotate-credentials-complete'], at(4)), {
      change: Object.fromEntries(
        ['certificateAuthorities', 'serviceAccountKey', 'workloadIdentityKey'].map(credential => [
          credential,
          { phase: 'Completing', lastCompletionTriggeredTime: text(4) },
        ]),
      ),
      refused: [],
    })
  const { refused } = rotationStart(completed, ['rotate-etcd-encryption-key-complete'], at(4))
  t.strictSame(refused, ['rotate-etcd-encryption-key-complete'], 'its own token is not permitted')
})

t.test('tokens that are not permitted change no phase', async t => {
  const preparing = asked(garden(), 'rotate-ca-start', 1)
  const deleting = garden({ metadata: { deletionTimestamp: text(1) } })
  const rows: readonly [string, Garden, readonly string[], readonly string[]][] = [
    ['unknown', garden(), ['rotate-workload-identity-key', 'reconcile'], ['rotate-workload-identity-key']],
    ['started already', preparing, ['rotate-ca-start'], ['rotate-ca-start']],
    ['not prepared', preparing, ['rotate-ca-complete'], ['rotate-ca-complete']],
    ['one of three in a wrong phase', preparing, ['rotate-credentials-start'], ['rotate-credentials-start']],
    ['in deletion', deleting, ['rotate-observability-credentials'], ['rotate-observability-credentials']],
  ]
  for (const [name, given, tokens, refused] of rows) {
    t.strictSame(rotationStart(given, tokens, at(2)), { change: {}, refused }, name)
  }
  const both = ['rotate-etcd-encryption-key', 'rotate-etcd-encryption-key-start']
  t.strictSame(rotationStart(garden(), both, at(2)).refused, ['rotate-etcd-encryption-key-start'])
})

t.test('a run that is not ready changes no phase, and a steady Garden has none to change', async t => {
  const started = asked(garden(), 'rotate-credentials-start', 1)
  t.strictSame(rotationAfter(started, false, at(2)), {})
  t.strictSame(rotationAfter(garden(), true, at(2)), {})
  t.strictSame(rotationAfter(ready(started, 2), true, at(3)), {})
})

t.test('a rotation never begins in the second of another, nor before it', async t => {
  const completed = ready(asked(ready(asked(garden(), 'rotate-ca-start', 3), 3), 'rotate-ca-complete', 3), 3)
  for (const minute of [1, 3]) {
    const again = asked(completed, 'rotate-ca-start', minute)
    t.equal(rotationIn(again).certificateAuthorities?.lastInitiationTime, '2026-01-01T00:03:01Z')
  }
  const soon = asked(asked(garden(), 'rotate-observability-credentials', 3), 'rotate-ca-start', 3)
  t.equal(rotationIn(soon).certificateAuthorities?.lastInitiationTime, '2026-01-01T00:03:01Z', 'nor of a password')
})

type Sim = {
  garden: Garden
  /** Per API server: the file of its template, those its replicas run with, its marker, and the key its one object is stored with. */
  servers: Record<EncryptingServer, { template: string; running: string[]; isPopulated: boolean; stored: string }>
  labels: Partial<Record<EncryptingServer, string>>
  keys: string[]
  isSnapshotted: boolean
}

const keyMade = ({ garden }: Sim): string => rotationIn(garden).etcdEncryptionKey?.lastInitiationTime ?? 'first'
const keyOf = (sim: Sim, key: EncryptionKey): string => (key === 'current' ? keyMade(sim) : (sim.keys.at(-2) ?? 'none'))
const fileOf = (sim: Sim, server: EncryptingServer): string =>
  fileKeys({ phase: rotationIn(sim.garden).etcdEncryptionKey?.phase ?? '', ...sim.servers[server] })
    .map(key => keyOf(sim, key))
    .join()

const seenIn = (sim: Sim): EncryptionSeen => {
  const serverSeen = (server: EncryptingServer) => {
    const { running, isPopulated } = sim.servers[server]
    const names = (running[0] ?? '')
      .split(',')
      .map(name => (name === keyMade(sim) ? 'current' : 'former') as EncryptionKey)
    return { rolledOut: running.length === 1 ? names : undefined, isPopulated }
  }
  return {
    phase: rotationIn(sim.garden).etcdEncryptionKey?.phase ?? '',
    servers: { 'kube-apiserver': serverSeen('kube-apiserver'), 'gardener-apiserver': serverSeen('gardener-apiserver') },
    unlabelled: encryptingServers.filter(server => sim.labels[server] !== keyMade(sim)).length,
    labelled: Object.keys(sim.labels).length,
    hasBackup: true,
    isSnapshotted: sim.isSnapshotted,
    isChanging: false,
    isReadable: true,
    isRewritten: false,
  }
}

/** One write each: a call that is killed made any one of them, or any part of them in any order. */
const writesOf = (sim: Sim): ((next: Sim) => void)[] => {
  if (!sim.keys.includes(keyMade(sim))) return [next => next.keys.push(keyMade(sim))]
  const templates = encryptingServers.filter(server => sim.servers[server].template !== fileOf(sim, server))
  const applies = templates.map(server => (next: Sim) => {
    const own = next.servers[server]
    own.template = fileOf(sim, server)
    own.running = [...new Set([...own.running, own.template])].sort()
  })
  const moves = encryptionMoves(seenIn(sim)).flatMap(move => moveWrites(sim, move))
  const isReady = applies.length === 0 && encryptionMoves(seenIn(sim)).length === 0
  const change = rotationAfter(sim.garden, isReady, at(2))
  const phases =
    Object.keys(change).length > 0
      ? [
          (next: Sim) => {
            next.garden = changed(next.garden, change)
          },
        ]
      : []
  return [...applies, ...moves, ...phases]
}

const moveWrites = (sim: Sim, move: EncryptionMove): ((next: Sim) => void)[] => {
  const keyName = keyMade(sim)
  if (move.do === 'markPopulated')
    return [
      next => {
        next.servers[move.server].isPopulated = true
      },
    ]
  if (move.do === 'snapshot')
    return [
      next => {
        next.isSnapshotted = true
      },
    ]
  if (move.do === 'removeMarkers') {
    const flags = encryptingServers.map(server => (next: Sim) => {
      next.servers[server].isPopulated = false
    })
    return [
      ...flags,
      next => {
        next.isSnapshotted = false
      },
    ]
  }
  if (move.do === 'wait') return []
  return encryptingServers.flatMap(server =>
    sim.servers[server].running.map(file => (next: Sim) => {
      if (move.do === 'label') next.labels[server] = keyName
      else delete next.labels[server]
      next.servers[server].stored = file.split(',')[0] ?? ''
    }),
  )
}

/** What happens beside the calls: replicas of a former template end, and clients write through any replica. */
const events = (sim: Sim): ((next: Sim) => void)[] =>
  encryptingServers.flatMap(server => {
    const { running, template } = sim.servers[server]
    const ends = running.filter(file => file !== template)
    return [
      ...ends.map(file => (next: Sim) => {
        next.servers[server].running = running.filter(other => other !== file)
      }),
      ...running.map(file => (next: Sim) => {
        next.servers[server].stored = file.split(',')[0] ?? ''
      }),
    ]
  })

t.test('a key rotation that is killed anywhere makes no second key and drops none in use', async t => {
  const server = () => ({ template: 'first', running: ['first'], isPopulated: false, stored: 'first' })
  const start: Sim = {
    garden: asked(garden(), 'rotate-etcd-encryption-key', 1),
    servers: { 'kube-apiserver': server(), 'gardener-apiserver': server() },
    labels: {},
    keys: ['first'],
    isSnapshotted: false,
  }
  const all = new Map([[JSON.stringify(start), start]])
  const ends = new Set<string>()
  const lost: string[] = []
  for (const [text, sim] of all) {
    const isLost = encryptingServers.some(name =>
      sim.servers[name].running.some(file => !file.split(',').includes(sim.servers[name].stored)),
    )
    if (isLost || sim.keys.length > 2) lost.push(text)
    const { change } = rotationStart(sim.garden, [], at(3))
    const completes =
      Object.keys(change).length > 0
        ? [
            (next: Sim) => {
              next.garden = changed(next.garden, change)
            },
          ]
        : []
    const next = [...writesOf(sim), ...completes]
    if (next.length === 0 && encryptingServers.every(name => sim.servers[name].running.length === 1)) ends.add(text)
    for (const happens of [...next, ...events(sim)]) {
      const after = structuredClone(sim)
      happens(after)
      const key = JSON.stringify(after)
      if (!all.has(key)) all.set(key, after)
    }
  }
  t.strictSame(lost.slice(0, 1), [], 'every replica reads all that is stored')
  t.equal(ends.size, 1, 'whatever is killed, there is one end')
  const [end] = [...ends].map(text => JSON.parse(text) as Sim)
  t.equal(end && rotationIn(end.garden).etcdEncryptionKey?.phase, 'Completed')
  t.strictSame(end?.servers['gardener-apiserver'], {
    ...server(),
    template: text(1),
    running: [text(1)],
    stored: text(1),
  })
  t.strictSame([end?.labels, end?.isSnapshotted, end?.keys], [{}, false, ['first', text(1)]])
})

t.test(
  'encrypted objects are written again, at most 500 a call, and a kind that cannot be read is waited for',
  async t => {
    const secret = (at: number, keyName?: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `s-${at}`, ...(keyName && { labels: { 'credentials.gardener.cloud/key-name': keyName } }) },
    })
    const objects = {
      read: [...Array.from({ length: 700 }, (_, at) => secret(at)), secret(700, 'key-b'), secret(701, 'key-a')],
    }
    const labelling = rewriting([{ plural: 'secrets', objects, keyName: 'key-b' }])
    t.strictSame([labelling.left, labelling.steps.length], [701, 500])
    t.strictSame(labelling.waits, ['701 encrypted objects: are not encrypted with the key of this rotation phase yet'])
    matches(t, labelling.steps[0], {
      do: 'patch',
      on: 'virtual-garden',
      target: { metadata: { name: 's-0' } },
      merge: { metadata: { labels: { 'credentials.gardener.cloud/key-name': 'key-b' } } },
    })
    t.strictSame(
      rewriting([{ plural: 'secrets', objects }]).steps.map(step => 'target' in step && step.target.metadata.name),
      ['s-700', 's-701'],
    )
    const unserved = { plural: 'shootstates', objects: { failed: 'is not served' }, keyName: 'key-b' }
    t.strictSame(rewriting([unserved]), { steps: [], waits: ['shootstates: is not served'], left: undefined })
  },
)

t.test(
  'GA-364 Seeds are asked once to renew secrets, then tokens of workload identities, then kubeconfigs',
  async t => {
    const marker = { access: 'credentials.gardener.cloud/access-secrets-renewed-for' }
    const operation = 'gardener.cloud/operation'
    const seed = (name: string, annotations: Record<string, string> = {}) => ({
      apiVersion: 'core.gardener.cloud/v1beta1',
      kind: 'Seed',
      metadata: { name, annotations },
    })
    const all = { serviceAccountKey: 7, workloadIdentityKey: 9, certificateAuthorities: 8 }
    const asking = { [operation]: 'renew-garden-access-secrets', [marker.access]: '7' }
    const seeds = [
      seed('a'),
      seed('b', { [operation]: 'reconcile' }),
      seed('c', asking),
      seed('d', { [marker.access]: '7' }),
    ]
    const first = seedRenewal({ seeds, ...all })
    t.strictSame(
      first.steps.map(step => step.do === 'patch' && [step.target.metadata.name, step.merge]),
      [['a', { metadata: { annotations: asking } }]],
    )
    t.strictSame(first.waits, [
      'renewing secrets for seed "a" is not yet completed',
      'seed b: already annotated with "gardener.cloud/operation: reconcile"',
      'renewing secrets for seed "c" is not yet completed',
    ])
    const askedAfter = (annotations: Record<string, string>, rotations: object = all) =>
      seedRenewal({ seeds: [seed('d', annotations)], ...rotations }).steps.map(
        step => step.do === 'patch' && step.merge.metadata,
      )
    const access = { [marker.access]: '7' }
    const identity = { 'credentials.gardener.cloud/workload-identity-tokens-renewed-for': '9' }
    const kubeconfig = { 'credentials.gardener.cloud/kubeconfig-renewed-for': '8' }
    t.strictSame(askedAfter(access), [{ annotations: { [operation]: 'renew-workload-identity-tokens', ...identity } }])
    t.strictSame(askedAfter({}, { workloadIdentityKey: 9 }), askedAfter(access), 'also in a rotation of that key alone')
    const last = [{ annotations: { [operation]: 'renew-kubeconfig', ...kubeconfig } }]
    t.strictSame(askedAfter({ ...access, ...identity }), last)
    t.strictSame(askedAfter({ ...access, ...identity, ...kubeconfig }), [])
  },
)

t.test('GA-354 Seeds that hold different renewals are all renewed', async t => {
  const operation = 'gardener.cloud/operation'
  const [access, identity, kubeconfig] = ['garden-access-secrets', 'workload-identity-tokens', 'kubeconfig'].map(
    what => `renew-${what}`,
  )
  const seed = (name: string, held?: string): KubeObject => ({
    apiVersion: 'core.gardener.cloud/v1beta1',
    kind: 'Seed',
    metadata: { name, annotations: held ? { [operation]: held } : {} },
  })
  let seeds = [seed('a', access), seed('b', identity), seed('c', kubeconfig), seed('d')]
  const done: Record<string, unknown[]> = { a: [], b: [], c: [], d: [] }
  const workOf = () => seedRenewal({ seeds, serviceAccountKey: 7, workloadIdentityKey: 9, certificateAuthorities: 8 })
  const changedBy = (one: KubeObject, { steps }: ReturnType<typeof workOf>): KubeObject => {
    const step = steps.find(step => step.do === 'patch' && step.target.metadata.name === one.metadata.name)
    return step?.do === 'patch' ? (mergePatched(one, step.merge) as KubeObject) : one
  }
  /** The agent of one Seed ends what it was asked for. */
  const ended = (one: KubeObject): KubeObject => {
    const held = one.metadata.annotations?.[operation]
    if (held) done[one.metadata.name]?.push(held)
    return mergePatched(one, { metadata: { annotations: { [operation]: null } } }) as KubeObject
  }
  t.strictSame(
    workOf().steps.map(step => step.do === 'patch' && step.target.metadata.name),
    ['a', 'd'],
    'those that are free, or hold the same, at once',
  )
  for (let turn = 0; turn < 40 && workOf().steps.length + workOf().waits.length > 0; turn++) {
    const work = workOf()
    seeds = seeds.map(one => changedBy(one, work))
    seeds = seeds.map((one, index) => (index === turn % seeds.length ? ended(one) : one))
  }
  t.strictSame(workOf(), { steps: [], waits: [] })
  t.strictSame(done, {
    a: [access, identity, kubeconfig],
    b: [identity, access, identity, kubeconfig],
    c: [kubeconfig, access, identity, kubeconfig],
    d: [access, identity, kubeconfig],
  })
})

t.test('Secrets lose the time of their token once, and are waited for until they have another', async t => {
  const [time, marker] = [
    'serviceaccount.resources.gardener.cloud/token-renew-timestamp',
    'credentials.gardener.cloud/token-renewed-for',
  ]
  const secret = (name: string, annotations: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'garden', annotations },
  })
  const secrets = [
    secret('former', { [time]: 'x', [marker]: '6' }),
    secret('asked', { [marker]: '7' }),
    secret('renewed', { [time]: 'y', [marker]: '7' }),
  ]
  const { steps, waits } = tokenRenewal(secrets, 7)
  t.strictSame(
    steps.map(step => step.do === 'patch' && [step.target.metadata.name, step.merge]),
    [['former', { metadata: { annotations: { [time]: null, [marker]: '7' } } }]],
  )
  t.strictSame(waits, [
    'Secret garden/former: has no token signed with the new key yet',
    'Secret garden/asked: has no token signed with the new key yet',
  ])
})
