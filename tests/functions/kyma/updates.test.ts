// When a module goes on to another version, and what its entry says while it does not.
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { definedModules, dueUpdates } from '../../../functions/kyma/gather/updates.ts'
import { windowPolicy } from '../../../functions/kyma/rules/windows.ts'
import type { World } from '../../../functions/kyma/world.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Kyma, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { matches } from '../../harness/matches.ts'
import { testFolder } from '../../harness/test-folder.ts'
import { moduleReleaseMeta, moduleTemplate } from '../../make/kyma/kyma.ts'
import {
  changedManifest,
  kymaWorld,
  nextWorld,
  noon,
  ownKyma,
  passOf,
  settledWorld,
} from '../../make/kyma/kyma-world.ts'

const manifestName = 'default-id-telemetry-812080235'
const plan = { 'kyma-project.io/broker-plan-name': 'trial' }
const kyma = ownKyma({ metadata: { labels: plan }, spec: { modules: [{ name: 'telemetry' }] } })

const templateOf = (version: string, spec: object = {}): ModuleTemplate =>
  moduleTemplate({
    metadata: { name: `telemetry-${version}` },
    spec: { ...spec, version, descriptor: { component: { version } } },
  })
const metaOf = (version: string, channel = 'regular') =>
  moduleReleaseMeta({ spec: { channels: [{ channel, version }] } })

const installed = (version: string): World => {
  const world = settledWorld(kymaWorld({ kyma, templates: [templateOf(version)], metas: [metaOf(version)] }))
  return nextWorld(changedManifest(world, manifestName, { status: { state: 'Ready' } }))
}

const moved = (world: World, version: string, spec: object = {}): World => ({
  ...world,
  catalogue: { templates: [templateOf(version, spec)], metas: [metaOf(version)] },
})

const update = { do: 'patch', merge: { spec: { version: '1.3.0' } } }

t.test('KY-40 a lower version is not installed over a higher one', async t => {
  const world = installed('1.2.3')
  const inFast = { ...world.kyma.spec, modules: [{ name: 'telemetry', channel: 'fast' }] }
  const lower = { templates: [templateOf('1.2.2')], metas: [metaOf('1.2.2', 'fast')] }
  matches(t, passOf({ ...world, wanted: inFast, catalogue: lower }), {
    steps: [],
    status: {
      state: 'Warning',
      modules: [
        {
          state: 'Warning',
          version: '1.2.3',
          channel: 'regular',
          template: { metadata: { name: 'telemetry-1.2.3' } },
          message:
            'module template update not allowed: ignore channel skew (from regular to fast), as a higher version (1.2.3) of the module was previously installed',
        },
      ],
    },
  })
  matches(t, passOf(moved(world, '1.3.0')).steps, [update])
})

const without = (world: World): World => ({ ...world, manifests: [] })

t.test('KY-227 a module whose Manifest is gone is installed afresh, in a lower version too', async t => {
  const gone = without(moved(installed('1.2.3'), '1.2.2'))
  matches(t, passOf(gone), {
    steps: [{ do: 'create', object: { spec: { version: '1.2.2' } } }],
    status: { modules: [{ version: '1.2.2', state: 'Processing', message: undefined }] },
  })
  const unsaved = { ...gone, manifests: nextWorld(gone).manifests }
  matches(t, passOf(unsaved), { steps: [], status: { modules: [{ version: '1.2.2', message: undefined }] } })
  matches(t, passOf(without(moved(installed('1.2.3'), 'latest'))).steps, [{ do: 'create' }])
})

t.test('KY-227 KY-57 one that was taken out and put back waits until the old one is gone', async t => {
  const deletionTimestamp = noon.toISOString()
  const going = { metadata: { finalizers: ['x/y'], deletionTimestamp } }
  const held = changedManifest(moved(installed('1.2.3'), '1.2.2'), manifestName, going)
  t.strictSame(passOf(held).steps, [], 'what is installed still does not go back')
  matches(t, passOf(without(nextWorld(held))).steps, [{ do: 'create', object: { spec: { version: '1.2.2' } } }])
})

t.test('KY-42 versions that cannot be compared are for people', async t => {
  const text =
    'module template update not allowed: could not handle channel skew as the descriptor contains invalid version'
  matches(t, passOf(moved(installed('1.2.3'), 'latest')), {
    steps: [],
    next: { is: 'stalled' },
    status: { modules: [{ state: 'Warning', version: '1.2.3', message: text }] },
  })
  matches(t, passOf(moved(installed('unsaid'), 'unsaid')).next, { is: 'settled' }, 'the same one needs no comparison')
})

const policy = {
  rules: [{ match: { plan: '^trial$' }, windows: [{ days: ['Tue'], begin: '22:00:00Z', end: '23:00:00Z' }] }],
}
const windows = windowPolicy(JSON.stringify(policy))
const inWindow = new Date('2026-11-24T22:10:00Z')
const downtime = { requiresDowntime: true }

t.test('KY-43 an update with downtime waits for a window, and is called when it opens', async t => {
  const waiting = { ...moved(installed('1.2.3'), '1.3.0', downtime), windows }
  const { steps, status, next } = passOf(waiting)
  t.strictSame(steps, [])
  matches(t, status, {
    state: 'Ready',
    modules: [
      {
        state: 'Ready',
        version: '1.2.3',
        maintenance: true,
        message: 'waiting for next maintenance window to update module version',
      },
    ],
  })
  matches(t, next, { is: 'settled', againSeconds: 300 })
  const soon = new Date('2026-11-24T21:59:00Z')
  matches(t, passOf(nextWorld(waiting), { now: soon }).next, { is: 'settled', againSeconds: 60 })
  const open = passOf(nextWorld(waiting), { now: inWindow })
  matches(t, open.steps, [update])
  matches(t, open.status, { modules: [{ version: '1.3.0', maintenance: false, message: undefined }] })
  const late = new Date('2026-11-24T22:40:00Z')
  t.strictSame(passOf(waiting, { now: late }).steps, [], 'no more than 20 minutes are left')
})

t.test('KY-227 a Manifest that is deleted by hand waits for no window', async t => {
  const waiting = nextWorld({ ...moved(installed('1.2.3'), '1.3.0', downtime), windows })
  t.strictSame(passOf(waiting).steps, [])
  matches(t, passOf(without(waiting)).steps, [{ do: 'create', object: { spec: { version: '1.3.0' } } }])
})

t.test('KY-44 what needs no window, or is not to wait for one, goes on at once', async t => {
  const due = { ...moved(installed('1.2.3'), '1.3.0', downtime), windows }
  t.strictSame(passOf(due).steps, [])
  const skipping = { ...due, kyma: { ...due.kyma, spec: { ...due.kyma.spec, skipMaintenanceWindows: true } } }
  matches(t, passOf(skipping).steps, [update], 'the Kyma skips windows')
  const copySkips = { ...due, wanted: { ...due.wanted, skipMaintenanceWindows: true } }
  matches(t, passOf(copySkips).steps, [update], 'the copy does')
  matches(t, passOf({ ...moved(installed('1.2.3'), '1.3.0'), windows }).steps, [update], 'there is no downtime')
  t.strictSame(passOf({ ...moved(installed('1.2.3'), '1.2.3', downtime), windows }).steps, [], 'the same version')
  const first = kymaWorld({ kyma, templates: [templateOf('1.3.0', downtime)], metas: [metaOf('1.3.0')], windows })
  matches(t, passOf(first).steps, [{ do: 'create' }], 'it was not installed before')
})

/** A file with maintenance windows, and a Kyma that is told of it. */
const withFile = (t: Test, settings: object = {}) => {
  const folder = testFolder(t)
  const file = join(folder, 'policy.json')
  const due = moved(installed('1.2.3'), '1.3.0', downtime)
  return { file, due: { ...due, settings: { ...due.settings, windowPolicyFile: file, ...settings } } }
}

const noReads = { get: async (): Promise<undefined> => undefined }
const gathered = async (world: World, reads: Parameters<typeof dueUpdates>[2] = noReads): Promise<World> => ({
  ...world,
  ...(await dueUpdates(definedModules(world), world, reads)),
})

t.test('KY-45 without readable windows the module stays as it is, in Error', async t => {
  const { file, due } = withFile(t)
  const unknown = async (): Promise<string> => {
    const { steps, status } = passOf(await gathered(due))
    t.strictSame(steps, [])
    matches(t, status, { state: 'Error', modules: [{ state: 'Error', version: '1.2.3' }] })
    return (status as { modules: [{ message: string }] }).modules[0].message
  }
  const begin = 'failed to determine if maintenance window is active: '
  t.equal(await unknown(), `${begin}no maintenance window policy configured`)
  writeFileSync(file, '{ "rules": {} }')
  t.equal(await unknown(), `${begin}rules is not a list`)
  rmSync(file)
  const { due: folder } = withFile(t, { windowPolicyFile: tmpdir() })
  matches(t, passOf(await gathered(folder)).status, { modules: [{ message: /EISDIR/ }] })
})

t.test('KY-46 the file is read anew in each pass, and not at all where no update waits for it', async t => {
  const { file, due } = withFile(t)
  writeFileSync(file, JSON.stringify(policy))
  t.strictSame(passOf(await gathered(due), { now: noon }).steps, [])
  const always = { days: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'], begin: '00:00:00Z', end: '00:00:00Z' }
  writeFileSync(file, JSON.stringify({ default: always }))
  matches(t, passOf(await gathered(due), { now: noon }).steps, [update])
  const settled = await gathered({ ...due, catalogue: installed('1.2.3').catalogue })
  t.strictSame(settled.windows, { failed: 'not read' })
})

t.test('KY-48 each Kyma follows a release at its own second, the same after a restart', async t => {
  const released = '2026-11-23T12:00:00Z'
  const { due } = withFile(t, { rollOutSeconds: 120 })
  const asked: string[] = []
  const reads = {
    get: async ({ kind, name }: { kind: string; name: string }): Promise<KubeObject> => {
      asked.push(`${kind} ${name}`)
      const managedFields = [{ time: '2026-11-20T00:00:00Z' }, { time: released }, { time: '2026-11-22T00:00:00Z' }, {}]
      return { ...metaOf('1.3.0'), metadata: { name, managedFields } }
    },
  }
  const world = await gathered({ ...due, catalogue: moved(due, '1.3.0').catalogue }, reads)
  t.strictSame(asked, ['ModuleReleaseMeta telemetry'])
  const secondOf = (uid: string): number => {
    const other: Kyma = { ...world.kyma, metadata: { ...world.kyma.metadata, uid } }
    const theirs = changedManifest({ ...world, kyma: other }, manifestName, { metadata: { ownerReferences: null } })
    const at = (second: number) => passOf(theirs, { now: new Date(Date.parse(released) + second * 1_000) })
    const first = Array.from({ length: 121 }, (_, second) => second).find(second => at(second).steps.length > 0)
    const { next } = at(0)
    if (next.is === 'settled' && first !== 0) t.equal(next.againSeconds, first, 'it is called again right then')
    return first ?? -1
  }
  const uids = Array.from({ length: 20 }, (_, at) => `uid-${at}`)
  const seconds = uids.map(secondOf)
  t.ok(
    seconds.every(second => second >= 0 && second <= 120),
    String(seconds),
  )
  t.ok(new Set(seconds).size > 10, 'they are spread')
  t.strictSame(uids.map(secondOf), seconds, 'nothing is remembered')
  const settings = world.settings
  const first = kymaWorld({ kyma, templates: [templateOf('1.3.0')], metas: [metaOf('1.3.0')] })
  matches(
    t,
    passOf(await gathered({ ...first, settings }, reads)).steps,
    [{ do: 'create' }],
    'new installs do not wait',
  )
  t.strictSame(asked.length, 1, 'and ask for nothing')
})
