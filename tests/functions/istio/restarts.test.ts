// What has to be restarted, and how: the judgements that need no cluster.
import t from 'tap'
import { gatewayStale } from '../../../functions/istio/rules/restarts/gateway.ts'
import { notedTarget, type RestartTarget } from '../../../functions/istio/rules/restarts/noted-targets.ts'
import { gatewayFields, haveChanged } from '../../../functions/istio/rules/restarts/restart-fields.ts'
import { secondsAt } from '../../../functions/istio/rules/restarts/restart-times.ts'
import type { IstioSpec, IstioStatus } from '../../../shared/api/istio.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { kubeTime } from '../../../shared/core/time/kube-time.ts'
import { matches } from '../../harness/matches.ts'
import { manifest } from '../../make/component/dependents.ts'
import { allInstalled, istio, istioNow, istioWorld, told } from '../../make/istio/istio.ts'

t.test('IS-54 another spelling of the same configuration restarts no gateway', async t => {
  const config = (fields: JsonMap) => ({ config: fields }) as IstioSpec
  const stats = (inclusionRegexps: unknown) => config({ proxyStatsMatcher: { inclusionRegexps } })
  const same: readonly (readonly [before: IstioSpec, after: IstioSpec])[] = [
    [{}, {}],
    [stats(['a', 'b']), stats(['b', 'a'])],
    [stats(null), stats([])],
    [{}, stats([])],
    [config({ numTrustedProxies: null }), {}],
    [config({ enableDNSProxying: true }), config({ enableDNSProxying: false })],
  ]
  for (const [before, after] of same)
    t.notOk(haveChanged(gatewayFields, before, after), `${JSON.stringify(before)} and ${JSON.stringify(after)}`)
  const other: readonly (readonly [before: IstioSpec, after: IstioSpec])[] = [
    [{}, config({ numTrustedProxies: 0 })],
    [config({ trustDomain: 'a' }), {}],
    [stats(['a']), stats(['a', 'b'])],
    // Whatever people write into the annotation.
    [stats('a'), stats(['a'])],
    [stats([{ a: 1 }, null]), stats(['a'])],
    [{ config: 'x' } as unknown as IstioSpec, stats(['a'])],
  ]
  for (const [before, after] of other)
    t.ok(haveChanged(gatewayFields, before, after), `${JSON.stringify(before)} and ${JSON.stringify(after)}`)
})

t.test('IS-55 gateway Pods made before a mesh resource changed, or in the same second, are too old', async t => {
  const deployment: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'istio-ingressgateway' },
    spec: { selector: { matchLabels: { app: 'gateway', istio: 'ingressgateway' } } },
  }
  const pod = (creationTimestamp: string, labels: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'pod', creationTimestamp, labels },
  })
  const gatewayPod = (time: string) => pod(time, { app: 'gateway', istio: 'ingressgateway', more: 'x' })
  const changed = '2026-01-02T03:04:05Z'
  const cause = (pods: readonly KubeObject[], at: string | undefined) =>
    gatewayStale({ istio: istio() }, { deployment, pods, resourceChangedAt: secondsAt(at) })
  t.equal(cause([gatewayPod('2026-01-02T03:04:04Z')], changed), 'meshResource', 'before')
  t.equal(cause([gatewayPod(changed)], changed), 'meshResource', 'in the same second')
  t.equal(cause([gatewayPod('2026-01-02T03:04:06Z')], changed), undefined, 'a second later')
  t.equal(cause([gatewayPod('2026-01-02T03:04:06Z'), gatewayPod(changed)], changed), 'meshResource', 'one of two')
  t.equal(cause([gatewayPod(changed)], undefined), undefined, 'it says no time')
  t.equal(cause([gatewayPod(changed)], 'soon'), undefined, 'it says what is no time')
  t.equal(cause([pod(changed, { app: 'gateway' })], changed), undefined, 'a Pod of something else')
})

t.test('IS-101 a target is noted with its time, and counts from the next second on', async t => {
  const now = new Date('2026-01-02T03:04:05.900Z')
  const target = { target: 'sidecars', wanted: { b: 1, a: 2 }, isChanging: false } as const
  const first = notedTarget(undefined, target, now)
  if (first.is !== 'new') throw new Error('it is not new')
  t.equal(first.note.since, '2026-01-02T03:04:05Z')
  const status = { state: 'Processing', restarts: [first.note] } as const
  const at = (time: string, wanted: unknown = { a: 2, b: 1 }) =>
    notedTarget({ ...status, restarts: [first.note] }, { ...target, wanted }, new Date(time)).is
  t.equal(at('2026-01-02T03:04:05.999Z'), 'fresh')
  t.equal(at('2026-01-02T03:04:06Z'), 'noted')
  t.equal(at('2027-01-02T03:04:06Z'), 'noted')
  t.equal(at('2026-01-02T03:04:06Z', { a: 3, b: 1 }), 'new', 'something else is wanted')
  t.equal(at('2026-01-02T03:00:00Z'), 'new', 'a time that is still to come was made up')
  const { is } = notedTarget({ state: 'Ready', restarts: [first.note] }, { ...target, target: 'ingressGateway' }, now)
  t.equal(is, 'new', 'of another target')
})

t.test(
  'IS-125 the status notes since when fields are changing, until the change is in force or taken back everywhere',
  async t => {
    const [then, now] = ['2026-01-02T03:00:00Z', '2026-01-02T03:04:05Z']
    const wanting = (wanted: number, isChanging: boolean) => ({ target: 'sidecars', wanted, isChanging }) as const
    const first = notedTarget(undefined, wanting(1, true), new Date(then))
    if (first.is !== 'new') throw new Error('it is not new')
    t.equal(first.note.changingSince, then)
    const { changingSince: _, ...over } = first.note
    const status = { state: 'Processing', restarts: [first.note] } as const
    const after = (wanted: number, isChanging: boolean) =>
      notedTarget({ ...status, restarts: [first.note] }, wanting(wanted, isChanging), new Date(now))
    const since = Date.parse(then) / 1000
    t.strictSame(after(1, true), { is: 'noted', since })
    t.strictSame(after(1, false), { is: 'noted', since, ended: { begunAt: since, over } })
    for (const isChanging of [true, false])
      matches(t, after(2, isChanging), { is: 'new', note: { since: now, changingSince: then } })
    const settled = notedTarget({ ...status, restarts: [over] }, wanting(2, false), new Date(now))
    matches(t, settled, { is: 'new', note: { since: now, changingSince: undefined } })
  },
)

t.test(
  'IS-304 a change that began in an hour, by a clock that was ahead, concerns all Pods when it is taken back',
  async t => {
    const [target, now] = ['sidecars', new Date('2026-01-02T03:04:05Z')] as const
    const first = notedTarget(undefined, { target, wanted: 1, isChanging: false }, new Date('2026-01-02T03:00:00Z'))
    if (first.is !== 'new') throw new Error('it is not new')
    const begun = (changingSince: string) =>
      notedTarget(
        { state: 'Processing', restarts: [{ ...first.note, changingSince }] },
        { target, wanted: 1, isChanging: false },
        now,
      )
    for (const changingSince of ['2026-01-02T04:04:05Z', 'soon'])
      matches(t, begun(changingSince), { is: 'noted', ended: { begunAt: 0 } }, changingSince)
  },
)

t.test('IS-125 a change that begins while the mesh is being installed is noted at once', async t => {
  const dependents = { ...allInstalled.dependents, manifests: [manifest('v1', 'ConfigMap', 'one')] }
  const installation = { ...allInstalled, dependents }
  const before = '2026-01-01T00:00:00Z'
  const note = (target: RestartTarget) => ({ target, digest: 'x', since: before })
  const noted = (spec: IstioSpec, ...restarts: object[]) => {
    const one = istio({ spec, status: { state: 'Ready', restarts } as IstioStatus })
    return told(istioWorld({ istio: one, facts: { installation } })).status.restarts
  }
  const now = kubeTime(istioNow)
  t.strictSame(noted({}), undefined)
  t.strictSame(noted({ config: { numTrustedProxies: 2 } }), [
    { target: 'ingressGateway', digest: '', since: now, changingSince: now },
  ])
  t.strictSame(noted({ config: { enableDNSProxying: true } }, note('controlPlane'), note('sidecars')), [
    note('controlPlane'),
    { ...note('sidecars'), changingSince: now },
  ])
  t.strictSame(noted({ networkPoliciesEnabled: true }, note('controlPlane')), [
    { ...note('controlPlane'), changingSince: now },
  ])
  t.strictSame(noted({ networkPoliciesEnabled: true }, { ...note('controlPlane'), changingSince: before }), undefined)
})

t.test('IS-57 a gateway that is restarted for two things is restarted once', async t => {
  const workload = (name: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'istio-system', uid: `uid-${name}`, resourceVersion: '1' },
  })
  const noted = { is: 'noted', since: 0 } as const
  const due = (...names: string[]) => names.map(name => ({ workload: workload(name), cause: 'configuration' }) as const)
  const ingressGateway = { noted, due: due('istio-ingressgateway') }
  const controlPlane = { noted, due: due('istio-ingressgateway', 'istiod') }
  const { plan } = told(istioWorld({ facts: { ingressGateway, controlPlane } }))
  t.strictSame(
    plan.steps.flatMap(step =>
      'target' in step && step.target.kind === 'Deployment' ? [step.target.metadata.name] : [],
    ),
    ['istio-ingressgateway', 'istiod'],
  )
})
