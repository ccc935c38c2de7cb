import t from 'tap'
import {
  isCompletionDue,
  rotationAfter,
  rotationStart,
} from '../../../functions/garden-reconcile/rules/rotation/phases.ts'
import { mergePatched } from '../../../shared/core/merge-patch.ts'
import { type Garden, garden } from '../../make/garden.ts'

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
        ...{ phase: 'Completing', ...begun, lastInitiationFinishedTime: text(2) },
        lastCompletionTriggeredTime: text(3),
      },
      { phase: 'Completed', ...begun, lastCompletionTime: text(4) },
      { phase: 'Preparing', lastInitiationTime: text(5), lastCompletionTime: text(4) },
    ])
    t.strictSame(Object.keys(rotationIn(now)), [credential])
  }
})

t.test('all credentials are started at one time, and three of them completed', async t => {
  const started = asked(garden(), 'rotate-credentials-start', 1)
  const four = ['certificateAuthorities', 'serviceAccountKey', 'etcdEncryptionKey', 'observability'] as const
  t.strictSame(
    four.map(credential => rotationIn(started)[credential]?.lastInitiationTime),
    four.map(() => text(1)),
  )
  const prepared = ready(started, 2)
  t.equal(rotationIn(prepared).observability?.lastCompletionTime, text(2))
  const { change } = rotationStart(prepared, ['rotate-credentials-complete'], at(3))
  t.strictSame(Object.keys(change), four.slice(0, 3))
})

t.test('the one-shot token completes what is prepared, also after a call that was killed', async t => {
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
    ...{ phase: 'Completed', lastInitiationTime: text(1), lastCompletionTime: text(4) },
    autoCompleteAfterPrepared: true,
  })
  const again = asked(completed, 'rotate-etcd-encryption-key-start', 5)
  t.equal(rotationIn(again).etcdEncryptionKey?.autoCompleteAfterPrepared, undefined)
})

t.test('completing all leaves alone what completed by itself', async t => {
  const start = rotationStart(
    garden(),
    ['rotate-etcd-encryption-key', 'rotate-ca-start', 'rotate-serviceaccount-key-start'],
    at(1),
  )
  const prepared = ready(changed(garden(), start.change), 2)
  const completing = changed(prepared, rotationStart(prepared, [], at(3)).change)
  t.strictSame(rotationStart(completing, ['rotate-credentials-complete'], at(4)), {
    change: Object.fromEntries(
      ['certificateAuthorities', 'serviceAccountKey'].map(credential => [
        credential,
        { phase: 'Completing', lastCompletionTriggeredTime: text(4) },
      ]),
    ),
    refused: [],
  })
})

t.test('tokens that are not permitted change no phase', async t => {
  const preparing = asked(garden(), 'rotate-ca-start', 1)
  const deleting = garden({ metadata: { deletionTimestamp: text(1) } })
  const rows: readonly [string, Garden, readonly string[], readonly string[]][] = [
    ['unknown', garden(), ['rotate-workload-identity-key-start', 'reconcile'], ['rotate-workload-identity-key-start']],
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
})
