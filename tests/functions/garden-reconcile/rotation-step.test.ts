// What rotations do to objects: the files of encryption keys, and what the last step writes.
import { createHash } from 'node:crypto'
import t from 'tap'
import { parse } from 'yaml'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { encryptionConfiguration } from '../../../functions/garden-reconcile/desired/apiserver-parts/encryption-config.ts'
import { plutono } from '../../../functions/garden-reconcile/desired/plutono.ts'
import { report } from '../../../functions/garden-reconcile/report.ts'
import { flowOf } from '../../../functions/garden-reconcile/rules/flow.ts'
import { kindText } from '../../../functions/garden-reconcile/rules/objects.ts'
import type { EncryptingServer } from '../../../functions/garden-reconcile/rules/rotation/encryption-moves.ts'
import { snapshotMarks } from '../../../functions/garden-reconcile/rules/rotation/encryption-rotation.ts'
import {
  neededVirtualKinds,
  rotationChanges,
  rotationLongWaits,
  rotationWaits,
} from '../../../functions/garden-reconcile/rules/rotation/rotation-moves.ts'
import { secretNow, wantedSecret } from '../../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import { leftoverSecrets } from '../../../functions/garden-reconcile/rules/secrets/secret-steps.ts'
import { steps } from '../../../functions/garden-reconcile/rules/steps.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { secretText } from '../../../shared/core/objects/secret-text.ts'
import { type Garden, garden } from '../../make/garden/garden.ts'
import { gardenWorld } from '../../make/garden/garden-world.ts'
import { worldWithSecrets } from '../../make/garden/secret-world.ts'

const started = '2026-01-01T00:00:00Z'
const keyConfigs = ['kube-apiserver-etcd-encryption-key', 'gardener-apiserver-etcd-encryption-key'] as const

const serverOf = (config: (typeof keyConfigs)[number]) => config.replace('-etcd-encryption-key', '') as EncryptingServer

const rotating = (rotation: object): World => gardenWorld({ garden: garden({ status: { credentials: { rotation } } }) })

const withObjects = (world: World, ...objects: readonly KubeObject[]): World => {
  const runtime = new Map(world.runtime)
  for (const object of objects) runtime.set(kindText(object), [...(runtime.get(kindText(object)) ?? []), object])
  return { ...world, runtime }
}

/** Annotations of the current keys, in the order of their configs. */
type Marks = readonly Readonly<Record<string, string>>[]

/** The former key and the current one of both API servers. */
const keySecrets = (world: World, marks: Marks = []): KubeObject[] =>
  keyConfigs.flatMap((config, index) =>
    [gardenWorld(), world].map((of, at) => {
      const { name = '', labels } = wantedSecret(of, config) ?? {}
      const data = { key: `key${at}`, secret: String(at).repeat(32), encoding: 'none' }
      const base64 = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
      const metadata = {
        name,
        namespace: 'garden',
        labels: { ...labels },
        creationTimestamp: `2026-01-01T00:00:0${at}Z`,
        annotations: at === 1 ? marks[index] : undefined,
      }
      return { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(base64) }
    }),
  )

const populated = 'credentials.gardener.cloud/new-encryption-key-populated'
const populatedBoth: Marks = [{ [populated]: 'true' }, { [populated]: 'true' }]

/** All that was written with the former keys is written anew. */
const replaced: Marks = keyConfigs.map(config => ({
  [populated]: 'true',
  'credentials.gardener.cloud/replaces': wantedSecret(gardenWorld(), config)?.name ?? '',
}))

t.test('GA-104 the files of encryption keys follow the phase and the marker, identity last', async t => {
  const providers = (phase: string, marks: Marks = []) => {
    const world = rotating({ etcdEncryptionKey: { phase, lastInitiationTime: started } })
    const full = withObjects(world, ...keySecrets(world, marks))
    return keyConfigs.map(config => {
      const file = parse(secretText(encryptionConfiguration(full, serverOf(config)), 'encryption-configuration.yaml'))
      return file.resources[0].providers
    })
  }
  const [former, current] = ['0', '1'].map(at => ({
    name: `key${at}`,
    secret: Buffer.from(at.repeat(32)).toString('base64'),
  }))
  const file = (...keys: unknown[]) => [{ aescbc: { keys } }, { identity: {} }]
  const both = (...keys: unknown[]) => [file(...keys), file(...keys)]
  t.strictSame(providers('Preparing'), both(former, current))
  t.strictSame(providers('Preparing', populatedBoth.slice(0, 1)), [file(current, former), file(former, current)])
  t.strictSame(providers('Preparing', populatedBoth), both(current, former))
  t.strictSame(providers('Prepared', replaced), both(current, former))
  t.strictSame(providers('Completing', replaced), both(current))
  t.strictSame(providers('Completed'), both(current))
})

t.test('GA-318 in a rotation from one provider to another the file names both, in the order of the phase', async t => {
  const [config] = keyConfigs
  const file = (phase: string, marks: Marks = []) => {
    const world = rotating({ etcdEncryptionKey: { phase, lastInitiationTime: started } })
    const [former, current, ...others] = keySecrets(world, marks)
    const boxed = { ...former, data: { ...Object(former?.data), provider: btoa('secretbox') } } as KubeObject
    const full = withObjects(world, boxed, ...(current ? [current] : []), ...others)
    const { resources } = parse(
      secretText(encryptionConfiguration(full, serverOf(config)), 'encryption-configuration.yaml'),
    )
    return resources[0].providers.map((one: object) => Object.keys(one).join())
  }
  t.strictSame(file('Preparing'), ['secretbox', 'aescbc', 'identity'])
  t.strictSame(file('Preparing', populatedBoth), ['aescbc', 'secretbox', 'identity'])
  t.strictSame(file('Completed'), ['aescbc', 'identity'])
})

const minute = (at: number): Date => new Date(Date.UTC(2026, 0, 1, 0, at))
const time = (at: number): string => `2026-01-01T00:0${at}:00Z`

const saved = (one: Garden, status: object): Garden => mergePatched(one, { status }) as Garden

/** An operation with this token, from its start at this minute to its end one minute later. */
const operated = (one: Garden, token: string, at: number): { readonly begun: Garden; readonly ended: Garden } => {
  const annotations = { 'gardener.cloud/operation': token }
  const asked = mergePatched(one, { metadata: { annotations, finalizers: ['gardener.cloud/operator'] } }) as Garden
  const begun = saved(asked, decide(gardenWorld({ garden: asked }), minute(at)).status)
  const [removal] = decide(gardenWorld({ garden: begun }), minute(at)).steps
  t.strictSame(removal?.do === 'patch' && removal.merge, {
    metadata: { annotations: { [Object.keys(annotations)[0] ?? '']: null } },
  })
  const free = mergePatched(begun, { metadata: { annotations: { 'gardener.cloud/operation': null } } }) as Garden
  const flow = { writes: [], ready: 20, percent: 100, waits: [], faults: [] }
  const plan = { steps: [], status: {}, events: [], next: { is: 'settled' }, flow } as const
  const waiting = { ...plan, flow: { ...flow, percent: 95, waits: ['Etcd garden/a: is not ready yet'] } }
  const still = report(gardenWorld({ garden: free }), waiting, [], minute(at + 1)).status
  t.strictSame(saved(free, still).status?.credentials, free.status?.credentials, 'nothing ends before all is ready')
  return { begun, ended: saved(free, report(gardenWorld({ garden: free }), plan, [], minute(at + 1)).status) }
}

const rows = [
  ['rotate-ca', ['certificateAuthorities']],
  ['rotate-serviceaccount-key', ['serviceAccountKey']],
  ['rotate-etcd-encryption-key', ['etcdEncryptionKey']],
  ['rotate-workload-identity-key', ['workloadIdentityKey']],
  ['rotate-credentials', ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey', 'workloadIdentityKey']],
] as const

t.test('GA-101 GA-102 GA-364 rotations go from their start to their end, with the times of each', async t => {
  for (const [token, credentials] of rows) {
    const start = operated(garden(), `${token}-start`, 1)
    const complete = operated(start.ended, `${token}-complete`, 3)
    const seen = [start.begun, start.ended, complete.begun, complete.ended].map(
      one => one.status?.credentials?.rotation,
    )
    const begun = { lastInitiationTime: time(1) }
    const prepared = { ...begun, lastInitiationFinishedTime: time(2) }
    const phases = [
      { phase: 'Preparing', ...begun },
      { phase: 'Prepared', ...prepared },
      { phase: 'Completing', ...prepared, lastCompletionTriggeredTime: time(3) },
      { phase: 'Completed', ...begun, lastCompletionTime: time(4) },
    ]
    const observed = [begun, ...Array(3).fill({ ...begun, lastCompletionTime: time(2) })]
    t.strictSame(
      seen,
      phases.map((state, at) => ({
        ...Object.fromEntries(credentials.map(credential => [credential, state])),
        ...(token === 'rotate-credentials' && { observability: observed[at] }),
      })),
      token,
    )
  }
})

t.test('GA-108 the one-shot token goes on to its completion by itself', async t => {
  const { ended } = operated(garden(), 'rotate-etcd-encryption-key', 1)
  const phaseIn = (one: Garden) => one.status?.credentials?.rotation?.etcdEncryptionKey?.phase
  t.equal(phaseIn(ended), 'Prepared')
  const { status, next } = decide(gardenWorld({ garden: ended }), minute(3))
  t.equal(phaseIn(saved(ended, status)), 'Completing')
  t.strictSame(next, { is: 'again' })
})

const seconds = 1767225600
const core = 'core.gardener.cloud'
const virtualKinds = [
  ['v1', 'Secret'],
  [`${core}/v1`, 'ControllerDeployment'],
  ...['ControllerRegistration', 'InternalSecret', 'ShootState', 'Seed'].map(kind => [`${core}/v1beta1`, kind]),
].map(([apiVersion = '', kind = '']) => ({ apiVersion, kind }))

/** One object of each kind, with these metadata. */
const virtualOf = (metadata: object = {}) => ({
  read: new Map(virtualKinds.map(kind => [kindText(kind), [{ ...kind, metadata: { name: 'one', ...metadata } }]])),
})

/** Both API servers run with the file of this phase. */
const rolledOut = (world: World, marks: Marks, ...others: readonly KubeObject[]): World => {
  const full = withObjects(world, ...keySecrets(world, marks))
  const deployments = keyConfigs.map((config, at): [KubeObject, KubeObject] => {
    const file = encryptionConfiguration(full, serverOf(config))
    const volumes = [{ name: 'etcd-encryption-secret', secret: { secretName: file.metadata.name } }]
    const name = ['virtual-garden-kube-apiserver', 'gardener-apiserver'][at] ?? ''
    const conditions = [
      { type: 'Available', status: 'True' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ]
    const metadata = { name, namespace: 'garden' }
    const spec = { replicas: 1, template: { spec: { volumes } } }
    const status = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, conditions }
    return [file, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec, status }]
  })
  return withObjects(world, ...keySecrets(world, marks), ...others, ...deployments.flat())
}

const rotationMoves = (world: World) => ({ steps: rotationChanges(world), waits: rotationWaits(world) })

const writesIn = (world: World) =>
  rotationChanges(world).map(step => {
    const { kind, metadata } = step.do === 'patch' ? step.target : { kind: '', metadata: { name: '' } }
    return [step.on ?? 'local', kind, metadata.name, step.do === 'patch' && step.merge.metadata]
  })

const encrypting = (phase: string): World => rotating({ etcdEncryptionKey: { phase, lastInitiationTime: started } })
const keyName = 'credentials.gardener.cloud/key-name'
const withoutStatus = (world: World): World => {
  const deployments = world.runtime.get('apps/v1 Deployment') ?? []
  const runtime = new Map(world.runtime)
  return {
    ...world,
    runtime: runtime.set(
      'apps/v1 Deployment',
      deployments.map(({ status: _, ...rest }) => rest),
    ),
  }
}

t.test('GA-104 a key writes once every replica reads it, and its labels and markers go in the end', async t => {
  const markers = (annotations: Record<string, string | null>) =>
    keyConfigs.map(config => ['local', 'Secret', wantedSecret(preparing, config)?.name, { annotations }])
  const preparing = { ...encrypting('Preparing'), virtual: virtualOf() }
  t.strictSame(writesIn(rolledOut(preparing, [])), markers({ [populated]: 'true' }))
  const halfway = withObjects(preparing, ...keySecrets(preparing))
  t.strictSame(rotationMoves(halfway), {
    steps: [],
    waits: keyConfigs.map(
      config => `${config.slice(0, -'-etcd-encryption-key'.length)}: does not read the new encryption key yet`,
    ),
  })
  const waits = rotationMoves(halfway)
  const rolling = rolledOut(preparing, [])
  t.strictSame(rotationMoves(withoutStatus(rolling)), waits, 'replicas of the former template run')
  const former = rolledOut(encrypting('Completed'), [])
  t.strictSame(rotationMoves({ ...preparing, runtime: former.runtime }), waits, 'the file of the phase before')
  const completing = { ...encrypting('Completing'), virtual: virtualOf({ labels: { [keyName]: 'x' } }) }
  const unlabelled = writesIn(rolledOut(completing, populatedBoth))
  t.strictSame(
    unlabelled.map(([on, kind, , merge]) => [on, kind, merge]),
    virtualKinds.slice(0, 5).map(({ kind }) => ['virtual-garden', kind, { labels: { [keyName]: null } }]),
  )
  const cleaned = { ...completing, virtual: virtualOf() }
  t.strictSame(
    writesIn(rolledOut(cleaned, populatedBoth)),
    markers({ [populated]: null, 'credentials.gardener.cloud/etcd-snapshotted': null }),
  )
  t.strictSame(rotationMoves(rolledOut(cleaned, [])), { steps: [], waits: [] })
})

t.test('a file of keys that nobody can read is waited for', async t => {
  const preparing = { ...encrypting('Preparing'), virtual: virtualOf() }
  const rolling = rolledOut(preparing, [])
  const data = { 'encryption-configuration.yaml': Buffer.from('"').toString('base64') }
  const secrets = (rolling.runtime.get('v1 Secret') ?? []).map(secret =>
    secret.metadata.name.includes('configuration') ? { ...secret, data } : secret,
  )
  const broken = { ...rolling, runtime: new Map([...rolling.runtime, ['v1 Secret', secrets]]) }
  t.strictSame(rotationMoves(broken).steps, [])
  t.ok(rotationWaits(broken).includes('kube-apiserver: does not read the new encryption key yet'))
})

t.test('GA-105 every object of the five encrypted kinds is written with the new key, 500 a call', async t => {
  const preparing = encrypting('Preparing')
  const keyNames = keyConfigs.map(config => wantedSecret(preparing, config)?.name)
  const written = writesIn(rolledOut({ ...preparing, virtual: virtualOf() }, populatedBoth))
  t.strictSame(
    written.map(([on, kind, , merge]) => [on, kind, merge]),
    virtualKinds
      .slice(0, 5)
      .map(({ kind }) => [
        ...['virtual-garden', kind],
        { labels: { [keyName]: kind === 'Secret' ? keyNames[0] : keyNames[1] } },
      ]),
  )
  const read = new Map(virtualOf().read)
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } }
  read.set('v1 Secret', Array(700).fill(secret))
  const many = rotationMoves(rolledOut({ ...preparing, virtual: { read } }, populatedBoth))
  t.equal(many.steps.length, 500)
  t.strictSame(many.waits, ['704 encrypted objects: are not encrypted with the key of this rotation phase yet'])
})

t.test('GA-106 a kind that is not served, or cannot be read, is waited for', async t => {
  const waitsOf = (virtual: World['virtual']) =>
    rotationMoves(rolledOut({ ...encrypting('Preparing'), virtual }, populatedBoth))
  const read = new Map(virtualOf().read)
  read.delete(`${core}/v1beta1 ShootState`)
  const unserved = waitsOf({ read })
  t.strictSame(unserved.steps, [])
  t.ok(unserved.waits.includes('shootstates: is not served'))
  t.ok(waitsOf({ failed: 'it is down' }).waits.includes('secrets: it is down'))
})

const access = (annotations: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'shoot-access-a',
    namespace: 'garden',
    annotations,
    labels: { 'resources.gardener.cloud/purpose': 'token-requestor', 'resources.gardener.cloud/class': 'shoot' },
  },
})
const renewTime = 'serviceaccount.resources.gardener.cloud/token-renew-timestamp'
const tokenMarker = 'credentials.gardener.cloud/token-renewed-for'
const renewed = access({ [renewTime]: 'y', [tokenMarker]: String(seconds) })

t.test('GA-317 a rotation whose start is no time for JavaScript writes no marker with NaN', async t => {
  const state = { phase: 'Preparing', lastInitiationTime: '2026-03-01T23:59:60Z' }
  const both = { ...rotating({ certificateAuthorities: state, serviceAccountKey: state }), virtual: virtualOf() }
  t.strictSame(writesIn(withObjects(both, access({}))), [])
})

t.test('GA-110 GA-111 tokens are renewed once, then what Seeds hold, then their kubeconfigs', async t => {
  const state = { phase: 'Preparing', lastInitiationTime: started }
  const both = { ...rotating({ certificateAuthorities: state, serviceAccountKey: state }), virtual: virtualOf() }
  const annotations = { [renewTime]: null, [tokenMarker]: String(seconds) }
  t.strictSame(writesIn(withObjects(both, access({ [renewTime]: 'x' }))), [
    ['local', 'Secret', 'shoot-access-a', { annotations }],
  ])
  const elsewhere = { ...access({}), metadata: { ...access({}).metadata, namespace: 'seed-a' } }
  t.strictSame(rotationWaits(withObjects(both, elsewhere)), ['renewing secrets for seed "one" is not yet completed'])
  t.strictSame(rotationMoves(withObjects(both, access({ [tokenMarker]: String(seconds) }))), {
    steps: [],
    waits: ['Secret garden/shoot-access-a: has no token signed with the new key yet'],
  })
  const asked = (operation: string, marker: string) => ({
    'gardener.cloud/operation': operation,
    [`credentials.gardener.cloud/${marker}-renewed-for`]: String(seconds),
  })
  const secrets = asked('renew-garden-access-secrets', 'access-secrets')
  t.strictSame(writesIn(withObjects(both, renewed)), [['virtual-garden', 'Seed', 'one', { annotations: secrets }]])
  const { 'gardener.cloud/operation': _, ...marker } = secrets
  const second = { ...both, virtual: virtualOf({ annotations: marker }) }
  t.strictSame(writesIn(withObjects(second, renewed)), [
    ['virtual-garden', 'Seed', 'one', { annotations: asked('renew-kubeconfig', 'kubeconfig') }],
  ])
})

t.test('tokens of another class are left alone, and an operation without a name holds up no Seed', async t => {
  const state = { phase: 'Preparing', lastInitiationTime: started }
  const virtual = virtualOf({ annotations: { 'gardener.cloud/operation': '' } })
  const world = { ...rotating({ serviceAccountKey: state }), virtual }
  const { metadata, ...rest } = access({ [renewTime]: 'x' })
  const other = {
    ...rest,
    metadata: { ...metadata, labels: { ...metadata.labels, 'resources.gardener.cloud/class': 'a' } },
  }
  t.strictSame(
    writesIn(withObjects(world, other)).map(([on, kind]) => [on, kind]),
    [['virtual-garden', 'Seed']],
  )
})

t.test('GA-112 GA-113 a Seed is not asked twice, nor while it holds another operation', async t => {
  const state = { phase: 'Preparing', lastInitiationTime: started }
  const held = (operation: string, marker?: string) => {
    const annotations = {
      'gardener.cloud/operation': operation,
      ...(marker && { [`credentials.gardener.cloud/${marker}-renewed-for`]: String(seconds) }),
    }
    return rotationMoves({ ...rotating({ certificateAuthorities: state }), virtual: virtualOf({ annotations }) })
  }
  t.strictSame(held('reconcile'), {
    steps: [],
    waits: ['seed one: already annotated with "gardener.cloud/operation: reconcile"'],
  })
  t.strictSame(held('renew-kubeconfig', 'kubeconfig'), {
    steps: [],
    waits: ['renewing secrets for seed "one" is not yet completed'],
  })
  const asked = rotating({ certificateAuthorities: state })
  t.strictSame(rotationLongWaits({ ...asked, virtual: virtualOf() }), [
    'renewing secrets for seed "one" is not yet completed',
  ])
})

t.test('only what the next moves need is read in the virtual garden', async t => {
  const namesOf = (world: World) => neededVirtualKinds(world).map(({ kind }) => kind)
  const encrypted = ['Secret', 'ControllerDeployment', 'ControllerRegistration', 'InternalSecret', 'ShootState']
  t.strictSame(namesOf(rotating({ etcdEncryptionKey: { phase: 'Prepared', lastInitiationTime: started } })), [])
  t.strictSame(namesOf(encrypting('Preparing')), [], 'the new key is not there yet')
  t.strictSame(namesOf(rolledOut(encrypting('Preparing'), [])), [])
  t.strictSame(namesOf(rolledOut(encrypting('Preparing'), populatedBoth)), encrypted)
  t.strictSame(namesOf(rolledOut(encrypting('Completing'), populatedBoth)), encrypted)
  const selectors = (phase: string) =>
    new Set(neededVirtualKinds(rolledOut(encrypting(phase), populatedBoth)).map(({ labelSelector }) => labelSelector))
  const current = keyConfigs.map(config => `${keyName}!=${wantedSecret(encrypting('Preparing'), config)?.name}`)
  t.strictSame([...selectors('Preparing')], current, 'what is not written with the current key')
  t.strictSame([...selectors('Completing')], [keyName], 'what is labelled')
  const state = { phase: 'Preparing', lastInitiationTime: started }
  const both = rotating({ certificateAuthorities: state, serviceAccountKey: state })
  t.strictSame(namesOf(withObjects(both, access({}))), [], 'tokens come first')
  t.strictSame(namesOf(withObjects(both, renewed)), ['Seed'])
})

t.test('GA-104 GA-110 nothing is rewritten or renewed while a replica with former keys still ends', async t => {
  const state = { phase: 'Preparing', lastInitiationTime: started }
  const rotation = { serviceAccountKey: state, etcdEncryptionKey: state }
  const world = { ...rolledOut(rotating(rotation), populatedBoth, access({})), virtual: virtualOf() }
  t.strictSame(new Set(writesIn(world).map(([, kind]) => kind)).size, 5)
  const leaving = (name: string): World => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'garden', deletionTimestamp: started } }
    return { ...world, leavingPods: [pod] }
  }
  for (const name of ['virtual-garden-kube-apiserver-5d-x', 'gardener-apiserver-7f-y']) {
    t.strictSame(rotationMoves(leaving(name)), { steps: [], waits: [`Pod garden/${name}: has not ended yet`] })
    t.strictSame(neededVirtualKinds(leaving(name)), [])
  }
  t.equal(writesIn(leaving('virtual-garden-kube-controller-manager-1')).length, writesIn(world).length)
})

t.test('GA-103 a new password for observability is made in place, and Plutono follows', async t => {
  const { begun, ended } = operated(garden(), 'rotate-observability-credentials', 1)
  const of = (one: Garden) => one.status?.credentials?.rotation
  t.strictSame(
    [of(begun), of(ended)],
    [
      { observability: { lastInitiationTime: time(1) } },
      { observability: { lastInitiationTime: time(1), lastCompletionTime: time(2) } },
    ],
  )
  const secrets = [garden(), begun].map(one => {
    const world = worldWithSecrets({ garden: one })
    const secret = secretNow(world, 'observability-ingress')
    const [contents] = plutono(world)
    const texts = Object.entries((contents?.data ?? {}) as Record<string, string>)
    const [, settings = ''] = texts.find(([key]) => key.startsWith('secret__garden__plutono-config')) ?? []
    const { data } = parse(Buffer.from(settings, 'base64').toString()) as { data: Record<string, string> }
    const file = Buffer.from(data['plutono.ini'] ?? '', 'base64').toString()
    t.ok(
      file.includes(`admin_password = ${secretText(secret, 'password').trim()}`),
      'its password is the one of the Secret',
    )
    return { name: secret.metadata.name, world }
  })
  const [before, after] = secrets
  t.equal(after?.name, `${before?.name}-${createHash('sha256').update('1767225660').digest('hex').slice(0, 5)}`)
  const both = withObjects(after?.world ?? gardenWorld(), ...observabilitySecrets(before?.world))
  const left = leftoverSecrets(both, ['observability-ingress'], minute(2)).map(({ metadata }) => metadata.name)
  t.ok(left.includes(before?.name ?? '') && !left.includes(after?.name ?? ''), 'the former one goes')
})

const observabilitySecrets = (world: World | undefined): KubeObject[] =>
  world ? [secretNow(world, 'observability-ingress')] : []

t.test('GA-107 a full snapshot is taken once where there is a backup, and marked when it was', async t => {
  const etcd: KubeObject = {
    apiVersion: 'druid.gardener.cloud/v1alpha1',
    kind: 'Etcd',
    metadata: { name: 'virtual-garden-etcd-main', namespace: 'garden' },
  }
  const rotation = { etcdEncryptionKey: { phase: 'Preparing', lastInitiationTime: started } }
  const main = { backup: { provider: 'local', bucketName: 'b', secretRef: { name: 'backup' } } }
  const one = garden({ spec: { virtualCluster: { etcd: { main } } }, status: { credentials: { rotation } } } as never)
  const labels = (config: (typeof keyConfigs)[number]) => ({
    [keyName]: wantedSecret(encrypting('Preparing'), config)?.name ?? '',
  })
  const [ofSecrets, ofOthers] = keyConfigs.map(config => virtualOf({ labels: labels(config) }).read)
  const virtual = { read: new Map([...(ofOthers ?? []), ['v1 Secret', ofSecrets?.get('v1 Secret') ?? []]] as const) }
  const labelled = rolledOut({ ...gardenWorld({ garden: one }), virtual }, populatedBoth, etcd)
  const [step, ...others] = rotationChanges(labelled)
  t.strictSame([step?.do, others], ['takeSnapshot', []])
  t.strictSame(rotationWaits(labelled), [
    'Etcd garden/virtual-garden-etcd-main: has no full snapshot with the new encryption keys yet',
  ])
  const result = { step: step ?? { do: 'apply' as const, object: etcd }, changed: false }
  const error = { message: 'it is full', isConflict: false, isRetriable: true, ref: { ...etcd, ...etcd.metadata } }
  t.strictSame(snapshotMarks(labelled, [{ ...result, error }] as never), [])
  t.strictSame(
    snapshotMarks(labelled, [result]).map(mark => mark.do === 'patch' && [mark.target.metadata.name, mark.merge]),
    keyConfigs.map(config => [
      wantedSecret(labelled, config)?.name,
      { metadata: { annotations: { 'credentials.gardener.cloud/etcd-snapshotted': 'true' } } },
    ]),
  )
  const snapshotted = replaced.map(marks => ({ ...marks, 'credentials.gardener.cloud/etcd-snapshotted': 'true' }))
  const idle = { steps: [], waits: [] }
  t.strictSame(rotationMoves(rolledOut({ ...gardenWorld({ garden: one }), virtual }, snapshotted, etcd)), idle)
  t.strictSame(rotationMoves(rolledOut({ ...encrypting('Preparing'), virtual }, replaced, etcd)), idle, 'no backup')
})

t.test('the last step of the table makes the moves of rotations', async t => {
  const row = steps.at(-1)
  t.strictSame([row?.changes, row?.waits, row?.longWaits], [rotationChanges, rotationWaits, rotationLongWaits])
  const state = { phase: 'Preparing', lastInitiationTime: started }
  const world = { ...rotating({ certificateAuthorities: state }), virtual: virtualOf() }
  const flow = flowOf(row ? [{ ...row, needs: [] }] : [], world, minute(1))
  const wait = 'renewing secrets for seed "one" is not yet completed'
  t.strictSame([flow.writes.length, flow.waits, flow.longWaits, flow.percent], [1, [wait], [wait], 0])
})
