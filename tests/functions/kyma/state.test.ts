// What a Kyma is, what its conditions and operation say, when it is called again, and how it ends.
import t from 'tap'
import { decide } from '../../../functions/kyma/decide.ts'
import type { PartCondition, Trouble } from '../../../functions/kyma/parts/part.ts'
import { report } from '../../../functions/kyma/report.ts'
import { kymaState } from '../../../functions/kyma/rules/state.ts'
import { kymaSettings } from '../../../functions/kyma/settings.ts'
import type { World } from '../../../functions/kyma/world.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import { defaultValues } from '../../../shared/core/settings/setting.ts'
import { kubeTime } from '../../../shared/core/time/kube-time.ts'
import type { Kyma, Manifest, ModuleState, ModuleStatus } from '../../../shared/kyma/kinds.ts'
import { type FaultKind, meaningOf } from '../../../shared/kyma/modules/look-up.ts'
import { nextFor } from '../../../shared/kyma/next-call.ts'
import { matches } from '../../harness/matches.ts'
import { moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import {
  changedManifest,
  kymaWorld,
  listing,
  nextWorld,
  noon,
  ownKyma,
  passOf,
  settledWorld,
} from '../../make/kyma/kyma-world.ts'

const manifestName = 'default-id-telemetry-812080235'
const catalogue = { templates: [moduleTemplate()], metas: [moduleReleaseMeta()] }
const installed = settledWorld(kymaWorld({ kyma: listing({ name: 'telemetry' }), ...catalogue }))
const reported = (state: ModuleState, change: object = {}): World =>
  changedManifest(installed, manifestName, { status: { state, ...change } })

const changedKyma = (world: World, change: object): World => {
  const kyma = mergePatched(world.kyma, change) as Kyma
  return { ...world, kyma, wanted: isDeleting(kyma) ? { ...kyma.spec, modules: [] } : kyma.spec }
}

const skipped = { 'operator.kyma-project.io/skip-reconciliation': 'true' }

const hours = (count: number): Date => new Date(noon.getTime() + count * 3_600_000)

t.test('KY-61 the state of a Kyma, rule by rule', async t => {
  const modules = (...states: ModuleState[]): ModuleStatus[] =>
    states.map(state => ({ name: 'x', state, message: `is ${state}` }))
  const condition = (status: PartCondition['status'], otherwise: PartCondition['otherwise']): PartCondition => ({
    type: 'Modules',
    status,
    otherwise,
  })
  const trouble: Trouble = { text: 'the runtime is away', needs: 'outside' }
  const cases: [
    modules: ModuleStatus[],
    conditions: PartCondition[],
    troubles: Trouble[],
    state: string,
    operation: string,
  ][] = [
    [[], [], [], 'Ready', 'kyma is ready'],
    [modules('Ready', 'Unmanaged'), [condition('True', 'Error')], [], 'Ready', 'kyma is ready'],
    [modules('Ready'), [], [trouble], 'Error', 'the runtime is away'],
    [modules('Warning', 'Error', 'Processing'), [], [], 'Error', 'is Error'],
    [modules('Warning'), [condition('False', 'Error')], [], 'Error', 'started processing'],
    [modules('Processing', 'Warning'), [], [], 'Warning', 'is Warning'],
    [modules('Warning'), [condition('False', 'Processing')], [], 'Warning', 'is Warning'],
    [modules('Ready', 'Processing'), [], [], 'Processing', 'waiting for all modules to become ready'],
    [modules('Ready', 'Deleting'), [], [], 'Processing', 'waiting for all modules to become ready'],
    [modules('Ready', ''), [], [], 'Processing', 'waiting for all modules to become ready'],
    [modules('Ready'), [condition('False', 'Processing')], [], 'Processing', 'started processing'],
    [modules('Ready'), [condition('Unknown', 'Error')], [], 'Processing', 'started processing'],
    [modules('Ready'), [condition('Unknown', 'Processing')], [], 'Processing', 'started processing'],
    [modules('Ready'), [condition('Unknown', 'Error')], [trouble], 'Error', 'the runtime is away'],
  ]
  for (const [modules, conditions, troubles, state, operation] of cases)
    t.strictSame(
      kymaState({ modules, conditions, troubles }),
      { state, operation },
      JSON.stringify([modules, conditions]),
    )
})

t.test('KY-61 what a fault makes of the entry of its module', async t => {
  const states: [kind: FaultKind, state: ModuleState | undefined][] = [
    ['windowClosed', undefined],
    ['notYet', undefined],
    ['downgrade', 'Warning'],
    ['noVersion', 'Warning'],
    ['notFound', 'Warning'],
    ['notAllowed', 'Error'],
    ['unresolved', 'Error'],
    ['wrong', 'Error'],
    ['outside', 'Error'],
  ]
  for (const [is, state] of states) t.equal(meaningOf({ is, text: '' }).state, state, is)
})

t.test('KY-08 KY-62 KY-198 the Kyma follows its Manifests; of a local one Modules is the only condition', async t => {
  const ready = passOf(reported('Ready')).status
  matches(t, ready, { state: 'Ready', activeChannel: 'regular', lastOperation: { operation: 'kyma is ready' } })
  t.strictSame((ready as { conditions: object[] }).conditions, [
    {
      type: 'Modules',
      status: 'True',
      reason: 'Ready',
      message: 'all modules are in ready state',
      observedGeneration: 1,
      lastTransitionTime: '2026-11-23T12:00:00Z',
    },
  ])
  for (const state of ['Error', 'Warning', 'Processing'] as const)
    matches(t, passOf(reported(state)).status, {
      state,
      conditions: [{ status: 'False', message: 'not all modules are in ready state' }],
    })
})

t.test('KY-194 conditions tell the generation that they are about', async t => {
  const newer = changedKyma(reported('Ready'), { metadata: { generation: 5 } })
  matches(t, passOf(newer).status, { conditions: [{ type: 'Modules', observedGeneration: 5 }] })
})

t.test('KY-197 the state of a Manifest counts once it is about the spec of today', async t => {
  const about = (observedGeneration: number) => ({ conditions: [{ type: 'Installation', observedGeneration }] })
  const stateOf = (generation: number): unknown =>
    passOf(changedManifest(reported('Ready', about(2)), manifestName, { metadata: { generation } })).status
  matches(t, stateOf(3), { state: 'Processing', modules: [{ state: 'Processing' }] })
  matches(t, stateOf(2), { state: 'Ready', modules: [{ state: 'Ready' }] })
})

t.test('a condition that nobody tells any more goes', async t => {
  const conditions = [{ type: 'ModuleCatalog', status: 'True', reason: 'Ready', message: '', lastTransitionTime: 'x' }]
  const world = changedKyma(reported('Ready'), { status: { conditions } })
  matches(t, passOf(world).status, { conditions: [{ type: 'Modules' }] })
})

t.test('KY-11 KY-12 a Kyma that is left alone is not written, whatever changes', async t => {
  const name = 'operator.kyma-project.io'
  for (const labels of [{ [`${name}/skip-reconciliation`]: 'True' }, { [`${name}/managed-by`]: 'somebody' }]) {
    const world = changedKyma(installed, { metadata: { labels }, spec: { channel: 'fast', modules: [] } })
    t.strictSame(passOf(world), {
      steps: [],
      results: [],
      next: { is: 'settled' },
      events: [],
      status: {},
      measured: [],
    })
  }
  const elsewhere = changedKyma(installed, { metadata: { namespace: 'default' }, spec: { modules: [] } })
  matches(t, passOf(elsewhere), { steps: [], status: {} })
  const free = changedKyma(installed, {
    metadata: { labels: { [`${name}/skip-reconciliation`]: 'false' } },
    spec: { modules: [] },
  })
  matches(t, passOf(free).steps, [{ do: 'delete' }])
})

t.test('KY-11 the deletion of a Kyma that is skipped is carried out', async t => {
  const labels = { 'operator.kyma-project.io/skip-reconciliation': 'true' }
  const world = deleting(changedKyma(installed, { metadata: { labels } }))
  t.ok(passOf(nextWorld(world)).steps.length > 0)
})

t.test('a new Kyma is made ours in one write, before anything else', async t => {
  const kyma = ownKyma({
    metadata: { labels: null, finalizers: ['others/first'] } as never,
    spec: { modules: [{ name: 'telemetry' }] },
  })
  const { steps, next, status } = passOf(kymaWorld({ kyma, ...catalogue }))
  matches(t, steps, [
    {
      do: 'patch',
      merge: {
        metadata: {
          labels: { 'operator.kyma-project.io/managed-by': 'lifecycle-manager' },
          finalizers: ['others/first', 'operator.kyma-project.io/Kyma'],
        },
      },
    },
  ])
  t.strictSame([next, status], [{ is: 'again' }, {}])
})

t.test('KY-187 each state is called again after its own time', async t => {
  const requeue = { requeueReady: 11, requeueWarning: 12, requeueBusy: 13, requeueError: 14 }
  const situation = { operation: 'x', needs: 'time', requeue } as const
  const cases: [state: ModuleState, sinceSeconds: number, seconds: number][] = [
    ['Ready', 0, 11],
    ['Warning', 0, 12],
    ['Processing', 0, 13],
    ['Deleting', 59, 13],
    ['Processing', 60, 30],
    ['Deleting', 60, 30],
    ['Error', 0, 5],
    ['Error', 7, 7],
    ['Error', 100, 14],
  ]
  for (const [state, sinceSeconds, seconds] of cases) {
    const next = nextFor({ ...situation, state, sinceSeconds })
    matches(t, next, state === 'Ready' ? { is: 'settled', againSeconds: seconds } : { is: 'waiting', seconds }, state)
  }
  const usual = { requeueReady: 300, requeueWarning: 30, requeueBusy: 5, requeueError: 30 }
  matches(t, defaultValues(kymaSettings), usual)
  const soon = { ...situation, state: 'Ready', sinceSeconds: 0, againSeconds: 3 } as const
  matches(t, nextFor(soon), { is: 'settled', againSeconds: 3 }, 'what is due earlier counts')
  const helpless = { ...situation, state: 'Warning', sinceSeconds: 0, needs: 'person' } as const
  t.strictSame(nextFor(helpless), { is: 'stalled', reason: 'x' })
  t.strictSame(nextFor({ ...helpless, againSeconds: 3 }), { is: 'waiting', seconds: 3, for: 'x' }, 'something is due')
  const calm = {
    ...situation,
    state: 'Processing',
    sinceSeconds: 60,
    requeue: { ...requeue, requeueBusy: 45 },
  } as const
  matches(t, nextFor(calm), { seconds: 45 })
  const outside = { ...situation, state: 'Error', sinceSeconds: 9, needs: 'outside' } as const
  matches(t, nextFor(outside), { is: 'failed', seconds: 9 })
})

t.test('KY-187 the settings of the installation are answered', async t => {
  const world = reported('Ready')
  const settings = { ...world.settings, requeueReady: 77 }
  matches(t, passOf({ ...world, settings }).next, { is: 'settled', againSeconds: 77 })
})

t.test('KY-191 an Error is told at once, at most hourly, and at once when it says something else', async t => {
  const error = (operation: string): World =>
    reported('Error', { lastOperation: { operation, lastUpdateTime: kubeTime(noon) } })
  const first = passOf(error('the layer is away'))
  matches(t, first.events, [{ type: 'Warning', reason: 'KymaError', message: 'the layer is away', occasion: String }])
  const occasionAt = (world: World, now: Date): unknown => passOf(world, { now }).events[0]?.occasion
  const lasting = nextWorld(error('the layer is away'))
  const at = occasionAt(lasting, noon)
  t.equal(occasionAt(lasting, hours(0.99)), at, 'the same Event within the hour')
  t.not(occasionAt(lasting, hours(1)), at, 'another one after it')
  t.equal(occasionAt(lasting, hours(1.9)), occasionAt(lasting, hours(1)))
  const other = { ...error('another text'), kyma: lasting.kyma }
  matches(t, passOf(other, { now: hours(0.5) }).events, [{ message: 'another text' }])
  t.not(occasionAt(other, hours(0.5)), at)
  t.strictSame(passOf(reported('Warning')).events, [])
  const away = error('the layer is away')
  t.strictSame(
    report(away, decide(away, noon), [], noon).events,
    [],
    'once the status is saved: another replica may have told it a second ago',
  )
})

const deleting = (world: World): World => changedKyma(world, { metadata: { deletionTimestamp: kubeTime(noon) } })

const eventsOf = (world: World): string[] =>
  passOf(world).events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)

t.test('KY-80 KY-81 a Kyma goes step by step, each told by an Event', async t => {
  const held = { metadata: { finalizers: ['declarative.kyma-project.io/finalizer'] } }
  const begun = deleting(changedManifest(installed, manifestName, held))
  const first = passOf(begun)
  matches(t, first, { steps: [], status: { state: 'Deleting' }, next: { is: 'again' } })
  t.strictSame(eventsOf(begun), ['Normal SetKcpKymaStateDeleting: Success'])
  const second = nextWorld(begun)
  matches(t, passOf(second), {
    steps: [{ do: 'delete', target: { kind: 'Manifest' } }],
    status: { state: 'Deleting', lastOperation: { operation: 'waiting for modules to be deleted' } },
    next: { is: 'again' },
  })
  t.strictSame(eventsOf(second), ['Normal DeleteManifests: Success'])
  const third = changedManifest(nextWorld(second), manifestName, { metadata: { deletionTimestamp: kubeTime(noon) } })
  matches(t, passOf(third), { steps: [], events: [], next: { is: 'waiting', seconds: 5 } })
  matches(t, passOf(third).status, { modules: [{ name: 'telemetry', state: 'Deleting' }] })
  const last = { ...third, manifests: [] }
  matches(t, passOf(last).steps, [{ do: 'removeFinalizer', finalizer: 'operator.kyma-project.io/Kyma' }])
  t.strictSame(eventsOf(last), [
    'Normal DeleteMetrics: Success',
    'Normal EnsureManifestDeletion: Success',
    'Normal DropKymaFinalizer: Success',
  ])
})

t.test('KY-80 a step that fails is told as a Warning, and nothing below it is done', async t => {
  const begun = nextWorld(deleting(installed))
  const { events, status, next } = passOf(begun, { failing: () => 'the API server says no' })
  matches(t, events, [{ type: 'Warning', reason: 'DeleteManifests', message: 'the API server says no' }])
  matches(t, status, { lastOperation: { operation: 'the API server says no' } })
  matches(t, next, { is: 'settled' }, 'what comes next is left to the failure itself')
})

t.test('KY-82 the Manifests of mandatory modules go too, those of others do not', async t => {
  const [manifest] = installed.manifests as [Manifest]
  const more = (name: string, labels: Record<string, string>) =>
    mergePatched(manifest, { metadata: { name, uid: name, labels } }) as Manifest
  const mandatory = more('mandatory', { 'operator.kyma-project.io/mandatory-module': 'true' })
  const unlabelled = more('unlabelled', {
    'operator.kyma-project.io/channel': null as never,
    'operator.kyma-project.io/module-name': 'mandatory',
  })
  const foreign = more('foreign', { 'operator.kyma-project.io/managed-by': 'somebody' })
  const ofOther = { ...mandatory, metadata: { ...mandatory.metadata, name: 'of-other', uid: 'of-other' } }
  const owner = { apiVersion: 'x', kind: 'Kyma', name: 'other', uid: 'other', controller: true }
  const others = { ...ofOther, metadata: { ...ofOther.metadata, ownerReferences: [owner] } }
  const world = nextWorld(deleting({ ...installed, manifests: [manifest, mandatory, unlabelled, others, foreign] }))
  const targets = passOf(world).steps.map(step => ('target' in step ? step.target.metadata.name : ''))
  t.strictSame(targets, [manifestName, 'mandatory', 'unlabelled'])
  matches(t, passOf({ ...world, manifests: [foreign] }).steps, [{ do: 'removeFinalizer' }])
})

t.test('KY-86 finalizers of others are named, and told when nothing happens for five minutes', async t => {
  const held = { metadata: { finalizers: ['example.com/mine'], deletionTimestamp: kubeTime(noon) } }
  const world = nextWorld(deleting(changedManifest(installed, manifestName, held)))
  const operation = `waiting for modules to be deleted: Manifest kcp-system/${manifestName} waiting as other finalizers are present: [example.com/mine]`
  matches(t, passOf(world).status, { lastOperation: { operation } })
  const waiting = nextWorld(world)
  t.strictSame(passOf(waiting, { now: new Date(noon.getTime() + 299_000) }).events, [])
  const at = (now: Date) => passOf(waiting, { now }).events
  const stuck = at(new Date(noon.getTime() + 300_000))
  matches(t, stuck, [{ type: 'Warning', reason: 'KymaDeletionStuck', message: operation }])
  t.equal(at(hours(0.5))[0]?.occasion, stuck[0]?.occasion)
  t.not(at(hours(1.5))[0]?.occasion, stuck[0]?.occasion)
  const done = changedKyma({ ...waiting, manifests: [] }, { metadata: { finalizers: ['example.com/mine'] } })
  const left = 'waiting as other finalizers are present: [example.com/mine]'
  matches(t, passOf(done), { steps: [], status: { lastOperation: { operation: left } } })
  matches(t, passOf(nextWorld(done), { now: hours(1) }).events, [{ reason: 'KymaDeletionStuck', message: left }])
  const purged = changedKyma(done, { metadata: { finalizers: ['operator.kyma-project.io/purge-finalizer'] } })
  matches(t, passOf(purged).status, { lastOperation: { operation: 'waiting for modules to be deleted' } })
})

t.test('KY-66 a Kyma without shoot or instance is told once for each generation', async t => {
  const fresh = kymaWorld({ kyma: ownKyma() })
  const message =
    'the Kyma has no metrics, because it lacks the annotation skr-domain or the label kyma-project.io/instance-id'
  matches(t, passOf(fresh).events, [{ type: 'Warning', reason: 'MetricsError', message, occasion: '1' }])
  const known = nextWorld(fresh)
  t.strictSame(passOf(known).events, [])
  matches(t, passOf(changedKyma(known, { metadata: { generation: 2 } })).events, [{ occasion: '2' }])
  const labels = { 'kyma-project.io/instance-id': 'x' }
  const annotations = { 'skr-domain': 'shoot.example.com' }
  for (const [metadata, count] of [
    [{ labels }, 1],
    [{ annotations }, 1],
    [{ labels, annotations }, 0],
  ] as const)
    t.equal(passOf(kymaWorld({ kyma: ownKyma({ metadata }) })).events.length, count)
})

t.test('who is overtaken by another replica tells nothing', async t => {
  const world = kymaWorld({ kyma: listing({ name: 'telemetry' }), ...catalogue })
  const failing = () => 'it exists'
  matches(t, passOf(world, { failing }).status, { state: 'Error' })
  matches(t, passOf(world, { failing, isOvertaken: true }), { status: {}, events: [] })
})

t.test('KY-321 each reason to call a Kyma again is counted, in the words of the Go operator', async t => {
  const counted = (world: World, course: Parameters<typeof passOf>[1] = {}): string[] =>
    passOf(world, course).measured.flatMap(({ metric, labels = {} }) => {
      t.equal(metric, 'lifecycle_mgr_requeue_reason_total')
      t.strictSame(Object.keys(labels), ['requeue_reason', 'requeue_type'])
      return `${labels.requeue_reason} ${labels.requeue_type}`
    })
  const failing = () => 'no'
  const strange = changedKyma(installed, { metadata: { finalizers: [] } })
  const away: World = { ...installed, runtime: { is: 'away', fault: 'it is away' } }
  const begun = nextWorld(deleting(installed))
  t.strictSame(counted(installed), [], 'a Kyma that is in order')
  t.strictSame(counted(kymaWorld({})), ['initial_state_handling intended'])
  t.strictSame(counted(strange), ['labels_and_finalizers_update intended'])
  t.strictSame(counted(strange, { failing }), ['labels_and_finalizers_update unexpected'])
  t.strictSame(counted(away), ['sync_context_retrieval unexpected'])
  const listed = changedManifest(installed, manifestName, { spec: { version: '1.0.0' } })
  t.strictSame(counted(listed), [], 'what was written counts only where it failed')
  t.strictSame(counted(listed, { failing }), ['manifest_reconciliation unexpected'])
  t.strictSame(counted(deleting(installed)), ['kyma_status_update_to_deleting intended', 'kyma_deletion intended'])
  t.strictSame(counted(begun), ['manifest_crs_cleanup intended'])
  t.strictSame(counted(begun, { failing }), ['manifest_crs_cleanup unexpected'])
  t.strictSame(counted(changedKyma(installed, { metadata: { labels: skipped } })), [], 'a Kyma that is left alone')
  const { afterwards } = report(installed, decide(installed, noon), [], noon)
  const step: Step = { do: 'patch', target: installed.kyma, merge: {}, on: 'runtimes/default-id' }
  const error = { message: 'no', isConflict: false, isRetriable: false, ref: { ...kymaKind, namespace: '', name: 'x' } }
  const afterCopy = (failed: boolean) => afterwards?.report?.([{ step, changed: !failed, ...(failed && { error }) }])
  t.strictSame(afterCopy(false)?.measured, [])
  matches(t, afterCopy(true)?.measured, [{ labels: { requeue_reason: 'status_sync_to_remote' }, add: 1 }])
})
