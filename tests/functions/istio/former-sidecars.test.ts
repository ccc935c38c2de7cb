// Workloads that keep sidecars of a mesh that was removed: thirty in a call, each once, and what cannot be restarted holds nothing.
import t from 'tap'
import type { IstioPlan } from '../../../functions/istio/decide.ts'
import type { ReaderInput } from '../../../functions/istio/gather/reader-input.ts'
import { readFormerSidecars } from '../../../functions/istio/gather/sidecars.ts'
import { formerSidecar } from '../../../functions/istio/rules/restarts/stale-pod.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { ListQuery } from '../../../shared/kube/client-types.ts'
import { matches } from '../../harness/matches.ts'
import { istio, istioNow, istioWorld, told } from '../../make/istio/istio.ts'

const deletedAt = '2026-01-02T03:00:00Z'
const going = istio({ metadata: { deletionTimestamp: deletedAt }, status: { state: 'Deleting' } })

const containers = (...names: string[]) => names.map(name => ({ name, image: 'example.com/app:1' }))

const pod = (name: string, spec: JsonMap, change: JsonMap = {}): KubeObject =>
  mergePatched(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      spec,
      status: { phase: 'Running' },
      metadata: { name, namespace: 'team', uid: `pod-${name}`, creationTimestamp: '2026-01-01T00:00:00Z' },
    },
    change,
  ) as KubeObject

const injected = { containers: containers('app', 'istio-proxy') }

t.test('IS-88 Pods with a sidecar are found, gateways are not', async t => {
  const cases: [JsonMap, JsonMap, boolean][] = [
    [injected, {}, true],
    [{ containers: containers('app'), initContainers: containers('istio-init', 'istio-proxy') }, {}, true],
    [injected, { status: { phase: 'Pending' } }, true],
    [{ containers: containers('istio-proxy') }, {}, false],
    [{ containers: containers('app'), initContainers: containers('istio-init') }, {}, false],
    [{ containers: containers('app', 'my-istio-proxy') }, {}, false],
    [injected, { status: { phase: 'Succeeded' } }, false],
    [injected, { metadata: { deletionTimestamp: deletedAt } }, false],
    [{}, {}, false],
  ]
  for (const [spec, change, isFound] of cases)
    t.equal(formerSidecar(pod('a', spec, change)) !== undefined, isFound, JSON.stringify([spec, change]))
})

const ownedBy = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject) => ({
  metadata: { ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] },
})

/** A Deployment of one Pod with a sidecar; restarted at a time, if at all. */
const workload = (name: string, restartedAt?: string): KubeObject[] => {
  const apiVersion = 'apps/v1'
  const metadata = (kind: string) => ({ name, namespace: 'team', uid: `${kind}-${name}`, resourceVersion: '1' })
  const annotations = restartedAt && { [istioNames.annotations.restartedAt]: restartedAt }
  const template = { metadata: { annotations: annotations ?? {} } }
  const deployment = { apiVersion, kind: 'Deployment', metadata: metadata('d'), spec: { template } }
  const ownerReferences = ownedBy(deployment).metadata.ownerReferences
  const replicaSet = { apiVersion, kind: 'ReplicaSet', metadata: { ...metadata('r'), ownerReferences } }
  return [deployment, replicaSet, pod(name, injected, ownedBy(replicaSet))]
}

const clusterOf = (objects: readonly KubeObject[]) => {
  const found = ({ kind, namespace, keep = one => one }: ListQuery) =>
    objects
      .filter(one => one.kind === kind && (namespace === undefined || one.metadata.namespace === namespace))
      .flatMap(one => keep(structuredClone(one)) ?? [])
  async function* pages(query: ListQuery) {
    const all = found(query)
    for (let at = 0; at < all.length; at += 10) yield { objects: all.slice(at, at + 10), resourceVersion: '1' }
  }
  return { of: async () => ({ list: async (query: ListQuery) => found(query), pages }) }
}

type Tried = { readonly attempts?: Map<string, string>; readonly tried?: Map<string, string | undefined> }

/** One pass of a call; `attempts` lasts as long as the process, `tried` as long as the call. */
const pass = async (
  objects: readonly KubeObject[],
  { attempts = new Map(), tried: restarts = new Map() }: Tried = {},
  error?: object,
) => {
  const logged: { workloads: unknown[] }[] = []
  const log = { warn: (fields: { workloads: unknown[] }) => logged.push(fields) }
  const looking = { world: istioWorld({ istio: going }), now: istioNow, tried: restarts, log }
  const context = { clusters: clusterOf(objects), memory: { attempts } }
  const formerSidecars = await readFormerSidecars({ ...looking, context } as unknown as ReaderInput)
  const tried = ({ steps }: IstioPlan) => steps.map(step => ({ step, changed: !error, error }) as StepResult)
  const { plan, status, next } = told(istioWorld({ istio: going, facts: { formerSidecars } }), tried)
  const steps = plan.steps.map(step => `${step.do} ${'target' in step ? step.target.kind : ''}`)
  return { steps, status, next, logged: logged.flatMap(({ workloads }) => workloads) }
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `app-${at}`)
const release = ['removeFinalizer Istio']

t.test(
  'IS-88 of 47 workloads thirty are restarted, a minute later the other 17, and then the Istio is gone',
  async t => {
    const first = await pass(names(47).flatMap(name => workload(name)))
    t.strictSame(first.steps, Array(30).fill('patch Deployment'))
    matches(t, first.next, { is: 'waiting', seconds: 60 })
    matches(t, first.status, { state: 'Deleting', description: 'Deleting Istio' })
    const rolled = (restartedAt: string, count: number) =>
      names(47).flatMap((name, at) => workload(name, at < count ? restartedAt : undefined))
    const second = await pass(rolled(deletedAt, 30))
    t.strictSame(
      second.steps,
      Array(17).fill('patch Deployment'),
      'restarted in the second of the deletion: once is enough',
    )
    t.strictSame((await pass(rolled('2026-01-02T02:59:59Z', 47))).steps.length, 30, 'restarted before the deletion')
    t.strictSame((await pass(rolled('2026-01-02T03:01:00Z', 47))).steps, release)
    t.strictSame((await pass([])).steps, release)
  },
)

t.test(
  'IS-88 a workload that cannot be restarted, or whose restart was refused twice, is logged and does not hold the deletion',
  async t => {
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'job', namespace: 'team', uid: 'job' } }
    const bare = await pass([pod('bare', injected), pod('of-a-job', injected, ownedBy(job))])
    t.strictSame(bare.steps, release)
    t.equal(bare.logged.length, 2)
    const attempts = new Map<string, string>()
    const refused = await pass(workload('shop'), { attempts }, { message: 'it is forbidden' })
    t.strictSame(refused.steps, ['patch Deployment'])
    matches(t, refused.next, { is: 'waiting', seconds: 60 })
    t.strictSame((await pass(workload('shop'), { attempts })).steps, ['patch Deployment'], 'it is tried once more')
    t.strictSame((await pass(workload('shop'), { attempts })).steps, release)
  },
)

t.test(
  'IS-88 as long as there are Pods that were not looked at, the Istio stays, even if a pass restarts nothing',
  async t => {
    const formerSidecars = { survey: { read: { due: [], isCutShort: true } } }
    const { plan, next } = told(istioWorld({ istio: going, facts: { formerSidecars } }))
    t.strictSame(plan.steps, [])
    matches(t, next, { is: 'waiting', seconds: 60 })
    const unread = told(
      istioWorld({ istio: going, facts: { formerSidecars: { survey: { failed: 'it is forbidden' } } } }),
    )
    t.strictSame(unread.plan.steps, [])
    matches(t, unread.status, { state: 'Error', description: 'Could not uninstall istio: it is forbidden' })
  },
)

t.test('IS-300 more than thirty workloads whose restarts are refused do not hold the deletion', async t => {
  const all = names(40).flatMap(name => workload(name))
  const attempts = new Map<string, string>()
  const steps: number[] = []
  for (let call = 1; call <= 4; call++) {
    const told = await pass(all, { attempts }, { message: 'it is forbidden' })
    steps.push(told.steps.length)
    matches(t, told.next, { is: 'waiting', seconds: 60 })
  }
  t.strictSame(steps, [30, 30, 10, 10], 'each is tried twice')
  const last = await pass(all, { attempts })
  t.strictSame(last.steps, release)
  t.equal(last.logged.length, 40)
})

const replicaSet = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'lone', namespace: 'team', uid: 'lone', resourceVersion: '1' },
}

t.test('IS-301 each Pod of a ReplicaSet that nobody owns loses its sidecar, one in a call', async t => {
  const pods = names(4).map(name => pod(name, injected, ownedBy(replicaSet)))
  const attempts = new Map<string, string>()
  for (let left = 4; left > 0; left--) {
    const tried = new Map()
    t.strictSame((await pass([replicaSet, ...pods.slice(-left)], { attempts, tried })).steps, ['delete Pod'])
    const after = await pass([replicaSet, ...pods.slice(-left).slice(1)], { attempts, tried })
    t.strictSame(after.steps, left > 1 ? [] : release, `${left - 1} left after a call`)
    if (left > 1) matches(t, after.next, { is: 'waiting', seconds: 60 })
  }
  const refused = new Map<string, string>()
  for (let time = 1; time <= 2; time++) {
    const told = await pass([replicaSet, ...pods], { attempts: refused }, { message: 'it is forbidden' })
    t.strictSame(told.steps, ['delete Pod'], `refused ${time}`)
  }
  const last = await pass([replicaSet, ...pods], { attempts: refused })
  t.strictSame(last.steps, release, 'one that was refused twice holds nothing')
  matches(t, last.logged, [{ workload: 'team/lone', why: /earlier restart was refused/ }])
})

t.test('IS-301 Pods that such a ReplicaSet makes with a sidecar of their own hold nothing', async t => {
  const made = pod('new', injected, {
    metadata: { ...ownedBy(replicaSet).metadata, creationTimestamp: '2026-01-02T03:01:00Z' },
  })
  t.strictSame(
    (await pass([replicaSet, made], { tried: new Map([['team/ReplicaSet/lone', 'pod-old']]) })).steps,
    release,
  )
})
