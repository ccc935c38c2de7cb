import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { type AdmissionReview, admit } from '../../../shared/runtime/admit.ts'
import { gatherContext, processContext } from '../../../shared/runtime/context.ts'
import type { AdmissionFunction, AdmissionRequest, AdmissionVerdict } from '../../../shared/runtime/definition.ts'
import { matches } from '../../harness/matches.ts'
import { MemoryCluster } from '../../http/memory-cluster.ts'

const widget = (spec: object = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'a', namespace: 'b' },
  spec,
})

const request = (change: object = {}) => ({
  uid: 'u-1',
  operation: 'CREATE',
  kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
  resource: { group: 'example.com', version: 'v1', resource: 'widgets' },
  name: 'a',
  namespace: 'b',
  object: widget(),
  oldObject: null,
  userInfo: { username: 'alice' },
  ...change,
})

const review = (change: object = {}, apiVersion = 'admission.k8s.io/v1') => ({
  apiVersion,
  kind: 'AdmissionReview',
  request: request(change),
})

const reviewer = (verdict: (request: AdmissionRequest) => AdmissionVerdict): AdmissionFunction => ({
  does: 'review',
  name: 'widget-admission',
  kind: { apiVersion: 'example.com/v1', kind: 'Widget' },
  review: verdict,
})

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const none = await gatherContext(processContext({ clusters: new MemoryCluster().clusters }), { name: 'x' }, {})
const answer = (verdict: (request: AdmissionRequest) => AdmissionVerdict, body: unknown) =>
  admit(reviewer(verdict), body, { ...none, log: () => silent })

const responseTo = async (verdict: (request: AdmissionRequest) => AdmissionVerdict, body: unknown) => {
  const reply = await answer(verdict, body)
  return reply.code === 200 ? (reply.body as AdmissionReview).response : undefined
}

t.test('FN-20 the answer carries the uid of its review', async t => {
  t.strictSame(await responseTo(() => ({ allowed: true }), review()), { uid: 'u-1', allowed: true })
})

t.test('FN-20 a denial carries code, reason, message and causes', async t => {
  const causes = [{ reason: 'FieldValueInvalid', field: 'spec.size', message: 'Invalid value: 0: must be positive' }]
  const denied = await responseTo(
    () => ({ allowed: false, code: 422, reason: 'Invalid', message: 'no', causes, warnings: ['w'] }),
    review(),
  )
  t.strictSame(denied, {
    uid: 'u-1',
    allowed: false,
    warnings: ['w'],
    status: {
      code: 422,
      reason: 'Invalid',
      message: 'no',
      details: { name: 'a', group: 'example.com', kind: 'Widget', causes },
    },
  })
})

t.test('FN-21 an object that stays as it is has no patch', async t => {
  const same = await responseTo(
    ({ object }) => ({ allowed: true, object: structuredClone(object) ?? widget() }),
    review(),
  )
  t.strictSame(same, { uid: 'u-1', allowed: true })
})

t.test('FN-21 a changed object becomes a minimal JSON patch', async t => {
  const changed = await responseTo(() => ({ allowed: true, object: widget({ size: 3 }) }), review())
  t.equal(changed?.patchType, 'JSONPatch')
  t.strictSame(JSON.parse(Buffer.from(changed?.patch ?? '', 'base64').toString()), [
    { op: 'add', path: '/spec/size', value: 3 },
  ])
})

t.test('FN-22 a review is answered in the version it came in', async t => {
  for (const apiVersion of ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']) {
    const reply = await answer(() => ({ allowed: true }), review({}, apiVersion))
    matches(t, reply, { code: 200, body: { apiVersion, kind: 'AdmissionReview' } })
  }
})

t.test('FN-22 what is no review gets 400 and a message', async t => {
  const cases: [body: unknown, message: string][] = [
    [null, 'expected an AdmissionReview'],
    [[], 'expected an AdmissionReview'],
    [{}, 'expected an AdmissionReview'],
    [review({}, 'admission.k8s.io/v2'), 'expected admission.k8s.io/v1 or v1beta1'],
    [{ ...review(), request: undefined }, 'the AdmissionReview has no request'],
    [review({ uid: '' }), 'the AdmissionReview has no request.uid'],
    [review({ uid: 7 }), 'the AdmissionReview has no request.uid'],
  ]
  for (const [body, message] of cases)
    t.strictSame(await answer(() => ({ allowed: true }), body), { code: 400, body: { message } }, message)
})

t.test('FN-22 a request this function cannot judge is denied with code 400, in a valid review', async t => {
  const cases: [change: object, message: string][] = [
    [{ kind: { group: '', version: 'v1', kind: 'Pod' } }, 'expected example.com/v1, Kind=Widget, got v1, Kind=Pod'],
    [
      { kind: { group: 'example.org', version: 'v1', kind: 'Widget' } },
      'expected example.com/v1, Kind=Widget, got example.org/v1, Kind=Widget',
    ],
    [{ kind: undefined }, 'expected example.com/v1, Kind=Widget, got no kind'],
    [{ operation: 'PATCH' }, 'unknown operation "PATCH": expected one of CREATE, UPDATE, DELETE, CONNECT'],
    [{ subResource: 'status' }, 'the subresource "status" is not reviewed by this webhook'],
    [{ object: null }, 'request.object is not an object'],
    [{ operation: 'UPDATE', oldObject: [] }, 'request.oldObject is not an object'],
    [{ operation: 'DELETE', object: null, oldObject: { kind: 'Widget' } }, 'request.oldObject is not an object'],
  ]
  for (const [change, message] of cases) {
    const denied = await responseTo(() => ({ allowed: true }), review(change))
    t.strictSame(denied, { uid: 'u-1', allowed: false, status: { code: 400, reason: 'BadRequest', message } }, message)
  }
})

t.test('RE-21 CONNECT is allowed: there is no object to judge', async t => {
  const allowed = await responseTo(
    () => ({ allowed: false, code: 403, reason: 'Forbidden', message: 'no' }),
    review({ operation: 'CONNECT', object: null }),
  )
  t.strictSame(allowed, { uid: 'u-1', allowed: true })
})

t.test('a rule that throws denies with code 500 and its cause; the next review is judged anew', async t => {
  let calls = 0
  const verdict = (): AdmissionVerdict => {
    if (calls++ === 0) throw new Error('gardens cannot be listed')
    return { allowed: true }
  }
  const first = await responseTo(verdict, review())
  t.strictSame(first?.status, { code: 500, reason: 'InternalError', message: 'gardens cannot be listed' })
  t.equal((await responseTo(verdict, review()))?.allowed, true)
})

t.test('FN-23 a dry run is told to the function, and its verdict is the same', async t => {
  const seen: boolean[] = []
  const verdict = ({ dryRun }: AdmissionRequest): AdmissionVerdict => {
    seen.push(dryRun)
    return { allowed: true, object: widget({ size: 3 }) }
  }
  const real = await responseTo(verdict, review({ dryRun: false }))
  t.strictSame(await responseTo(verdict, review({ dryRun: true })), real)
  t.strictSame(seen, [false, true])
})
