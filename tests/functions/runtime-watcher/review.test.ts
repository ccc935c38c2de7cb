// What a review is answered, and whether the control plane hears of it.
import t from 'tap'
import { reviewWatched } from '../../../functions/runtime-watcher/review.ts'
import { fullSyncEvent } from '../../../shared/api/kyma/runtime-event.ts'
import { mutated, seededRandom } from '../../http/mutations.ts'

const kyma = (change: object = {}) => ({
  apiVersion: 'operator.kyma-project.io/v1beta2',
  kind: 'Kyma',
  metadata: { namespace: 'kyma-system', name: 'default', labels: { a: 'b' } },
  spec: { channel: 'fast', modules: [{ name: 'istio' }] },
  status: { state: 'Ready' },
  ...change,
})

const bodyOf = (request: object) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u-1', resource: { group: gvk.group, version: gvk.version, resource: 'kymas' }, ...request },
})

const asked = (request: object) => reviewWatched(bodyOf(request))

const gvk = { group: 'operator.kyma-project.io', version: 'v1beta2', kind: 'Kyma' }
const event = { watched: { Namespace: 'kyma-system', Name: 'default' }, watchedGvk: gvk }
const body = (response: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: 'u-1', allowed: true, ...response },
})
const resource = { group: gvk.group, resource: 'kymas', part: 'spec' }
const allowed = { code: 200, body: body(), change: { event, resource } }
const statusChanged = { ...allowed, change: { event, resource: { ...resource, part: 'status' } } }
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
  const change = { event, resource: { group: '', resource: 'namespaces', part: 'spec' } }
  t.strictSame(asked({ operation: 'CREATE', object, resource }), { ...allowed, change })
})

t.test(
  'KY-170 an object that has no name yet is told by the name of the review, or covered by a full sync',
  async t => {
    const nameless = kyma({ metadata: { namespace: 'kyma-system', generateName: 'default-' } })
    t.strictSame(asked({ operation: 'CREATE', object: nameless, name: 'default' }), allowed)
    t.strictSame(asked({ operation: 'CREATE', object: nameless, name: '' }), {
      ...allowed,
      change: { event: fullSyncEvent, resource },
    })
  },
)

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
    [{ operation: 'CREATE', object: null }, 'request.object is not an object'],
    [{ operation: 'CREATE', object: { metadata: {} } }, 'request.object is not an object'],
    [{ operation: 'UPDATE', object: kyma() }, 'request.oldObject is not an object'],
    [{ operation: 'CREATE', object: kyma({ kind: 'K'.repeat(1_000) }) }, 'request.object is not an object'],
    [
      { operation: 'CREATE', object: kyma({ metadata: { name: 'n'.repeat(1_000) } }) },
      'request.object is not an object',
    ],
    [{ operation: 'CREATE', object: kyma({ metadata: { name: { a: 'b' } } }) }, 'request.object is not an object'],
    [{ operation: 'CREATE', object: kyma(), subResource: {} }, 'request.subResource is not a name'],
    [{ operation: 'DELETE', object: kyma(), oldObject: 'kyma' }, 'request.oldObject is not an object'],
  ]
  for (const [request, message] of requests) t.strictSame(asked(request), refused(message), message)
})

t.test(
  'RE-21 10,000 mutations of reviews: allowed with its uid and at most one event that names an object, or 400',
  async t => {
    const random = seededRandom(20_261_123)
    const bases = [
      { operation: 'CREATE', object: kyma() },
      { operation: 'UPDATE', object: kyma({ spec: {} }), oldObject: kyma(), subResource: '', dryRun: false },
      { operation: 'DELETE', oldObject: kyma() },
    ].map(request => JSON.stringify(bodyOf(request)))
    const seen = { allowed: 0, told: 0, refused: 0 }
    for (let round = 0; round < 10_000; round++) {
      const body = parsed(mutated(bases[round % bases.length] ?? '', random))
      const reviewed = reviewWatched(body)
      const fault = faultOf(reviewed, body)
      if (fault) return t.fail(`${fault}: ${JSON.stringify(body)}`)
      if (reviewed.code === 400) seen.refused++
      else if (reviewed.change) seen.told++
      else seen.allowed++
    }
    t.ok(
      Object.values(seen).every(count => count > 50),
      JSON.stringify(seen),
    )
  },
)

/** As a listener reads it, or nothing. */
const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

const faultOf = (reviewed: ReturnType<typeof reviewWatched>, body: unknown): string | undefined => {
  if (reviewed.code === 400) return reviewed.body.message ? undefined : 'refused without a reason'
  const { response } = reviewed.body as { response: { uid: unknown; allowed: unknown } }
  const { uid } = (body as { request: { uid: unknown } }).request
  if (response.allowed !== true || response.uid !== uid) return 'no valid answer'
  const { watched, watchedGvk } = reviewed.change?.event ?? { watched: {}, watchedGvk: {} }
  const texts = [...Object.values(watched), ...Object.values(watchedGvk)]
  return texts.every(text => typeof text === 'string') ? undefined : 'an event that names no object'
}
