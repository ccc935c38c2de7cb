// What rotations do to objects: the files of encryption keys, and what the last step writes.
import t from 'tap'
import { parse } from 'yaml'
import { decide } from '../../../functions/garden-reconcile/decide.ts'
import { encryptionConfiguration } from '../../../functions/garden-reconcile/desired/apiserver/encryption-config.ts'
import { report } from '../../../functions/garden-reconcile/report.ts'
import { kindText } from '../../../functions/garden-reconcile/rules/objects.ts'
import { wantedSecret } from '../../../functions/garden-reconcile/rules/secrets/existing-secrets.ts'
import { textIn } from '../../../functions/garden-reconcile/rules/secrets/secrets-now.ts'
import type { World } from '../../../functions/garden-reconcile/world.ts'
import { mergePatched } from '../../../shared/core/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { type Garden, garden } from '../../make/garden.ts'
import { gardenWorld } from '../../make/garden-world.ts'

const started = '2026-01-01T00:00:00Z'
const keyConfigs = ['kube-apiserver-etcd-encryption-key', 'gardener-apiserver-etcd-encryption-key'] as const

const rotating = (rotation: object): World => gardenWorld({ garden: garden({ status: { credentials: { rotation } } }) })

const withObjects = (world: World, ...objects: readonly KubeObject[]): World => {
  const runtime = new Map(world.runtime)
  for (const object of objects) runtime.set(kindText(object), [...(runtime.get(kindText(object)) ?? []), object])
  return { ...world, runtime }
}

/** The former key and the current one of both API servers. */
const keySecrets = (world: World): KubeObject[] =>
  keyConfigs.flatMap(config =>
    [gardenWorld(), world].map((of, at) => {
      const { name = '', labels } = wantedSecret(of, config) ?? {}
      const data = { key: `key${at}`, secret: String(at).repeat(32), encoding: 'none' }
      const base64 = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
      const metadata = {
        name,
        namespace: 'garden',
        labels: { ...labels },
        creationTimestamp: `2026-01-01T00:00:0${at}Z`,
      }
      return { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(base64) }
    }),
  )

const marked = (apiVersion: string, kind: string, name: string): KubeObject => ({
  ...{ apiVersion, kind },
  metadata: {
    ...{ name, namespace: 'garden' },
    annotations: { 'credentials.gardener.cloud/new-encryption-key-populated': 'true' },
  },
})

const servers = [
  marked('apps/v1', 'Deployment', 'virtual-garden-kube-apiserver'),
  marked('resources.gardener.cloud/v1alpha1', 'ManagedResource', 'gardener-apiserver-runtime'),
]

t.test('the files of encryption keys follow the phase and the marker, identity last', async t => {
  const providers = (phase: string, ...objects: readonly KubeObject[]) => {
    const world = rotating({ etcdEncryptionKey: { phase, lastInitiationTime: started } })
    const full = withObjects(world, ...keySecrets(world), ...objects)
    return keyConfigs.map(config => {
      const file = parse(textIn(encryptionConfiguration(full, config, ['secrets']), 'encryption-configuration.yaml'))
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
  t.strictSame(providers('Preparing', ...servers.slice(0, 1)), [file(current, former), file(former, current)])
  t.strictSame(providers('Preparing', ...servers), both(current, former))
  t.strictSame(providers('Prepared', ...servers), both(current, former))
  t.strictSame(providers('Completing', ...servers), both(current))
  t.strictSame(providers('Completed'), both(current))
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
  const flow = { writes: [], ready: 20, percent: 100, waits: [], faults: [], stalls: [] }
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
  ['rotate-credentials', ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey']],
] as const

t.test('GA-101 GA-102 rotations go from their start to their end, with the times of each', async t => {
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
