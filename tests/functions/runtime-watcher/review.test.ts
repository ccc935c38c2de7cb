// What a review is answered, and whether the control plane hears of it.
import t from 'tap'
import { reviewWatched } from '../../../functions/runtime-watcher/review.ts'

const kyma = (change: object = {}) => ({
  apiVersion: 'operator.kyma-project.io/v1beta2',
  kind: 'Kyma',
  metadata: { namespace: 'kyma-system', name: 'default', labels: { a: 'b' } },
  spec: { channel: 'fast', modules: [{ name: 'istio' }] },
  status: { state: 'Ready' },
  ...change,
})

const asked = (request: object) =>
  reviewWatched({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u-1', resource: { group: gvk.group, version: gvk.version, resource: 'kymas' }, ...request },
  })

const gvk = { group: 'operator.kyma-project.io', version: 'v1beta2', kind: 'Kyma' }
const event = { watched: { Namespace: 'kyma-system', Name: 'default' }, watchedGvk: gvk }
const body = (response: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: 'u-1', allowed: true, ...response },
})
const of = { group: gvk.group, resource: 'kymas', part: 'spec' }
const allowed = { code: 200, body: body(), change: { event, of } }
const statusChanged = { ...allowed, change: { event, of: { ...of, part: 'status' } } }
const silent = (message: string) => ({ code: 200, body: body({ status: { code: 200, message } }) })
const unchanged = silent('no change detected on watched resource kyma-system/default')

const update = (object: object, oldObject: object, more: object = {}) =>
  asked({ operation: 'UPDATE', object, oldObject, ...more })

t.test(
  'KY-170 creation and deletion are allowed with the uid of the review, and told with the name of the object',
  async t => {
    t.strictSame(asked({ operation: 'CREATE', object: kyma() }), allowed)
    t.strictSame(asked({ operation: 'CREATE', object: kyma(), oldObject: null, dryRun: false }), allowed)
    t.strictSame(asked({ operation: 'DELETE', object: null, oldObject: kyma() }), allowed)
  },
)

t.test('KY-170 an object of the core group, or of the whole cluster, is told as such', async t => {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }
  const event = { watched: { Namespace: '', Name: 'n' }, watchedGvk: { group: '', version: 'v1', kind: 'Namespace' } }
  const resource = { group: '', version: 'v1', resource: 'namespaces' }
  const change = { event, of: { group: '', resource: 'namespaces', part: 'spec' } }
  t.strictSame(asked({ operation: 'CREATE', object, resource }), { ...allowed, change })
})

t.test('KY-171 of an update the control plane hears when the watched part changed', async t => {
  const status = { subResource: 'status' }
  const [map, changed] = [kyma({ spec: undefined }), kyma({ spec: undefined, data: { a: 'b' } })]
  const cases: [string, object, object][] = [
    ['the spec differs', update(kyma({ spec: { channel: 'regular' } }), kyma()), allowed],
    ['the spec is new', update(kyma(), kyma({ spec: undefined })), allowed],
    ['only metadata differs', update(kyma({ metadata: { ...kyma().metadata, labels: {} } }), kyma()), unchanged],
    ['only the order of fields differs', update(kyma({ spec: reversed(kyma().spec) }), kyma()), unchanged],
    ['the status differs beside the same spec', update(kyma({ status: {} }), kyma()), unchanged],
    ['no spec', update(changed, map), allowed],
    ['the status differs', update(kyma({ status: { state: 'Error' } }), kyma(), status), statusChanged],
    ['a first status', update(kyma(), kyma({ status: undefined }), status), statusChanged],
    ['the same status', update(kyma({ spec: {} }), kyma(), status), unchanged],
    [
      'another subresource',
      update(kyma({ spec: {} }), kyma(), { subResource: 'scale' }),
      silent('the subresource scale is not watched'),
    ],
    ['CONNECT', asked({ operation: 'CONNECT', object: {} }), silent('connecting changes nothing')],
  ]
  for (const [name, found, expected] of cases) t.strictSame(found, expected, name)
})

const reversed = (fields: object): object => Object.fromEntries(Object.entries(fields).reverse())

t.test('KY-172 a dry run is allowed and told to nobody', async t => {
  const dryRun = silent('a dry run changes nothing')
  t.strictSame(asked({ operation: 'CREATE', object: kyma(), dryRun: true }), dryRun)
  t.strictSame(asked({ operation: 'DELETE', oldObject: kyma(), dryRun: true }), dryRun)
})

t.test('KY-172 a broken review is answered 400 and told to nobody', async t => {
  const refused = (message: string) => ({ code: 400, body: { message } })
  const broken: [unknown, string][] = [
    [undefined, 'expected an AdmissionReview'],
    [[], 'expected an AdmissionReview'],
    [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v2' }, 'expected admission.k8s.io/v1 or v1beta1'],
    [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }, 'the AdmissionReview has no request'],
  ]
  for (const [body, message] of broken) t.strictSame(reviewWatched(body), refused(message), message)
  const requests: [object, string][] = [
    [{ uid: '' }, 'the AdmissionReview has no request.uid'],
    [{ operation: 'create' }, 'the AdmissionReview has an unknown operation'],
    [{ operation: 'CREATE', object: null }, 'request.object is no object'],
    [{ operation: 'CREATE', object: { metadata: {} } }, 'request.object is no object'],
    [{ operation: 'UPDATE', object: kyma() }, 'request.oldObject is no object'],
    [{ operation: 'DELETE', object: kyma(), oldObject: 'kyma' }, 'request.oldObject is no object'],
  ]
  for (const [request, message] of requests) t.strictSame(asked(request), refused(message), message)
})
