// What has to be restarted, and how: the judgements that need no cluster.
import t from 'tap'
import {
  type NamedRestarts,
  notedTarget,
  type RestartNote,
  type RestartTarget,
} from '../../../functions/istio/rules/restarts/restart-notes.ts'
import { gatewayFields, haveChanged, namedRestarts } from '../../../functions/istio/rules/restarts/restart-targets.ts'
import type { IstioSpec, IstioStatus } from '../../../shared/api/istio.ts'
import { objectKey } from '../../../shared/component/item.ts'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { kubeTime } from '../../../shared/core/time/kube-time.ts'
import { matches } from '../../harness/matches.ts'
import { manifest } from '../../make/component/dependents.ts'
import { allInstalled, istio, istioNow, istioWorld, noted, told } from '../../make/istio/istio.ts'

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

t.test('IS-101 a target is noted with its time, and counts from the next second on', async t => {
  const now = new Date('2026-01-02T03:04:05.900Z')
  const target = { target: 'sidecars', wanted: { b: 1, a: 2 }, isChanging: false } as const
  const first = notedTarget(undefined, target, now)
  t.equal(first.is, 'new')
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
    t.equal(first.note.changingSince, then)
    const { changingSince: _, ...over } = first.note
    const status = { state: 'Processing', restarts: [first.note] } as const
    const after = (wanted: number, isChanging: boolean) =>
      notedTarget({ ...status, restarts: [first.note] }, wanting(wanted, isChanging), new Date(now))
    const since = Date.parse(then) / 1000
    matches(t, after(1, true), { is: 'noted', since, ended: undefined })
    matches(t, after(1, false), { is: 'noted', since, ended: { begunAt: since, over } })
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
    t.equal(first.is, 'new')
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
  const digest = /^[0-9a-f]{16}$/
  matches(t, noted({ config: { numTrustedProxies: 2 } }), [
    { target: 'ingressGateway', digest, since: now, changingSince: now },
  ])
  t.strictSame(noted({ config: { enableDNSProxying: true } }, note('controlPlane'), note('sidecars')), [
    note('controlPlane'),
    { ...note('sidecars'), changingSince: now },
  ])
  t.strictSame(noted({ config: { enableDNSProxying: true } }), [
    { target: 'sidecars', digest: '', since: now, changingSince: now },
  ])
  const policies = { networkPoliciesEnabled: true }
  const [other] = noted(policies, { ...note('controlPlane'), changingSince: before }) as [RestartNote]
  matches(t, other, { target: 'controlPlane', digest, since: now, changingSince: before }, 'another change')
  t.strictSame(noted(policies, { ...other, since: before }), undefined, 'the same change')
  const { changingSince: _, ...over } = other
  t.strictSame(noted(policies, { ...over, since: before }), [{ ...over, since: before, changingSince: now }])
})

/** The Istio of a mesh whose gateway Deployment was created then. The change of the gateway's fields is noted since 03:00:00. */
const dueAfter = (creationTimestamp: string, spec: IstioSpec, digest?: string) => {
  const deployment = { metadata: { name: 'istio-ingressgateway', namespace: 'istio-system', creationTimestamp } }
  const gateway = { apiVersion: 'apps/v1', kind: 'Deployment', ...deployment } as KubeObject
  const { dependents } = allInstalled
  const live = new Map([[objectKey(gateway), gateway]])
  const installation = { ...allInstalled, dependents: { ...dependents, observed: { ...dependents.observed, live } } }
  const [since, changingSince] = ['2026-01-02T03:00:00Z', '2026-01-02T02:00:00Z']
  const restarts = digest === undefined ? [] : [{ target: 'ingressGateway' as const, digest, since, changingSince }]
  const one = istio({ spec, status: { state: 'Ready', restarts } })
  return namedRestarts('ingressGateway', istioWorld({ istio: one, facts: { installation } }), istioNow)
}

t.test('IS-314 a gateway that was created after its fields were noted is not restarted for them', async t => {
  const spec = { config: { numTrustedProxies: 2 } }
  const { noted, due } = dueAfter('2026-01-02T03:00:30Z', spec)
  t.strictSame([noted.is, due.length], ['new', 1])
  const dueOf = (created: string, digest = noted.note.digest) => dueAfter(created, spec, digest).due.length
  t.equal(dueOf('2026-01-02T03:00:01Z'), 0, 'created a second later')
  t.equal(dueOf('2026-01-02T03:00:00Z'), 1, 'in the same second')
  t.equal(dueOf('2026-01-02T03:30:00Z'), 1, 'in a time to come')
  t.equal(dueOf('2026-01-02T03:00:01Z', 'other'), 1, 'other fields were noted')
  t.equal(dueAfter('2026-01-02T03:00:01Z', {}, 'other').due.length, 1, 'the change was taken back')
})

t.test('IS-313 a target for which nothing has to be restarted is noted in the pass that ends Ready', async t => {
  const facts = { ingressGateway: dueAfter('2026-01-02T03:00:30Z', {}) }
  const first = told(istioWorld({ facts }))
  matches(t, first.status, { state: 'Ready', restarts: [facts.ingressGateway.noted.note] })
  const { changingSince: _, ...over } = { ...noted.note, target: 'controlPlane', changingSince: '2026-01-01T00:00:00Z' }
  const ended = { begunAt: 0, over: over as RestartNote }
  const controlPlane = { noted: { ...noted, is: 'fresh', ended } as const, due: [] }
  matches(t, told(istioWorld({ facts: { controlPlane } })).status, { state: 'Ready', restarts: [over] })
})

t.test('IS-57 a gateway that is restarted for two things is restarted once', async t => {
  const workload = (name: string): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'istio-system', uid: `uid-${name}`, resourceVersion: '1' },
  })
  const due = (...names: string[]) => names.map(workload)
  const ingressGateway = { noted, due: due('istio-ingressgateway') }
  const controlPlane = { noted, due: due('istio-ingressgateway', 'istiod') }
  const restarted = (gateway: NamedRestarts) =>
    told(istioWorld({ facts: { ingressGateway: gateway, controlPlane } })).plan.steps.flatMap(step =>
      'target' in step && step.target.kind === 'Deployment' ? [step.target.metadata.name] : [],
    )
  t.strictSame(restarted(ingressGateway), ['istio-ingressgateway', 'istiod'])
  const unnoted = { ...ingressGateway, noted: { ...noted, is: 'new' } as const }
  t.strictSame(restarted(unnoted), ['istiod'], 'the gateway when its note is saved')
})
