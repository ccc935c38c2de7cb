// What is told of a refused write whose object holds text of a Secret: code, reason, fields and who refused, in words of Kubernetes.
import t from 'tap'
import { apiErrorOf } from '../../../shared/kube/connection/answers.ts'
import { ApiError, type StatusCause } from '../../../shared/kube/errors.ts'
import { refusalText, withoutQuotes } from '../../../shared/kube/writes/unquoted-errors.ts'
import { matches } from '../../harness/matches.ts'

const canary = 'c4n4ry'
const leftOut = '; its message may quote a Secret and is left out'
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' }
const nut = { apiVersion: 'example.com/v1', kind: 'Nut' }

type Answer = { code?: number; reason?: string; message?: string; causes?: StatusCause[] }

const told = (
  kind: typeof nut,
  { code = 422, reason = 'Invalid', message = canary, causes = [] }: Answer,
): ApiError => {
  const details = { name: 'a', kind: 'nuts', causes }
  const error = withoutQuotes(new ApiError({ code, reason, message, details }), kind)
  if (error instanceof ApiError) return error
  throw error
}

const cause = (field: string, reason = 'FieldValueInvalid'): StatusCause => ({
  field,
  reason,
  message: `Invalid value: "${canary}"`,
})

t.test("RE-29 an error shows those parts of a field's path that are names of the API", async t => {
  const image = 'spec.template.spec.containers[0].image'
  const rows: [what: string, kind: typeof nut, fields: string[], where: string][] = [
    ['of a kind of Kubernetes', deployment, [image], ` for ${image} (FieldValueInvalid)`],
    ['a key of a map', deployment, [`spec.limits[${canary}]`], ' for spec.limits[…] (FieldValueInvalid)'],
    ['a key with a bracket', deployment, [`spec.limits[${canary}]x]`], ' for spec (FieldValueInvalid)'],
    ['of another kind', nut, [`spec.map.${canary}`], ' for spec (FieldValueInvalid)'],
    ['labels', nut, ['metadata.labels'], ' for metadata.labels (FieldValueInvalid)'],
    ['what is no path', deployment, [`the ${canary}`], ''],
    ['what begins with a value', deployment, [`"${canary}"`], ''],
    ['the same twice', nut, [`spec.${canary}`, 'spec.b'], ' for spec (FieldValueInvalid)'],
  ]
  for (const [what, kind, fields, where] of rows) {
    const { message, details } = told(kind, { causes: fields.map(field => cause(field)) })
    t.equal(message, `the API server answered 422 Invalid${where}${leftOut}`, what)
    t.notOk(JSON.stringify(details).includes(canary), `${what}: not in the details`)
  }
})

t.test('RE-29 the cause of an error shows only reasons of Kubernetes, whatever a webhook writes', async t => {
  for (const reason of [canary, `FieldValueInvalid ${canary}`]) {
    const { message, details } = told(nut, { causes: [cause('spec', reason)] })
    t.equal(message, `the API server answered 422 Invalid for spec${leftOut}`)
    t.notOk(JSON.stringify(details).includes(canary))
  }
})

t.test('RE-29 an error says who refused the write if Kubernetes itself says so', async t => {
  const answer = (code: number, reason: string, known = '') =>
    `the API server answered ${code} ${reason}${known && `: ${known}`}${leftOut}`
  const cannot = 'User "system:serviceaccount:a:b" cannot create resource "nuts" in API group "example.com"'
  const rows: [message: string, code: number, reason: string, told: string][] = [
    [
      `nuts "a" is forbidden: ${cannot} in the namespace "a": ${canary}`,
      403,
      'Forbidden',
      answer(403, 'Forbidden', cannot),
    ],
    [`${canary}: ${cannot}`, 403, 'Forbidden', answer(403, 'Forbidden')],
    [
      `admission webhook "w.example.com" denied the request: ${canary}`,
      403,
      'Forbidden',
      answer(403, 'Forbidden', 'admission webhook "w.example.com" denied the request'),
    ],
    [
      `nuts "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${canary}`,
      422,
      'Invalid',
      answer(422, 'Invalid', "ValidatingAdmissionPolicy 'p' with binding 'b' denied request"),
    ],
    [
      `Internal error occurred: failed calling webhook "w.example.com": ${canary}`,
      500,
      'InternalError',
      answer(500, 'InternalError', 'failed calling webhook "w.example.com"'),
    ],
    [`exceeded quota: ${canary}`, 403, 'Forbidden', answer(403, 'Forbidden')],
    [canary, 400, canary, answer(400, 'Unknown')],
    [canary, 404, 'NotFound', answer(404, 'NotFound')],
    [canary, 409, 'Conflict', answer(409, 'Conflict')],
  ]
  for (const [message, code, reason, expected] of rows) {
    const error = told(nut, { code, reason, message, causes: [cause('', canary)] })
    t.equal(error.message, expected, message)
    t.equal(error.code, code, 'its kind stays')
  }
  const broken = new TypeError('a defect')
  t.equal(withoutQuotes(broken, nut), broken)
})

t.test('CO-145 a long answer about invalid fields is shortened to fields and reasons', async t => {
  const long = 'x'.repeat(5_000)
  const subject = 'Job.batch "a" is invalid'
  const answered = (said: readonly string[], change: object = {}): string => {
    const causes = said.map(message => ({ reason: 'FieldValueInvalid', field: 'spec.template', message }))
    const message = `${subject}: ${said.map(text => `spec.template: ${text}`).join(', ')}`
    const status = { code: 422, reason: 'Invalid', message, details: { causes }, ...change }
    return refusalText(apiErrorOf(status, { code: 422, asked: 'PUT /a' }))
  }
  const isImmutable = `${subject}: spec.template: Invalid value: field is immutable`
  const rows: [what: string, said: string, told: string][] = [
    ['JSON', `Invalid value: {"command":["echo }: \\"x\\": ${long}"]}: field is immutable`, isImmutable],
    ['a Go value', `Invalid value: core.Spec{Name:"a: b", Args:[]string{"${long}"}}: field is immutable`, isImmutable],
    ['a list', `Invalid value: ["${long}"]: field is immutable`, isImmutable],
    ['a text', `Invalid value: "${long}": field is immutable`, isImmutable],
    [
      'one of a few values',
      `Unsupported value: "${long}": supported values: "a", "b"`,
      `${subject}: spec.template: Unsupported value: supported values: "a", "b"`,
    ],
    [
      'short',
      'Invalid value: {"a":"b"}: field is immutable',
      `${subject}: spec.template: Invalid value: {"a":"b"}: field is immutable`,
    ],
  ]
  for (const [what, said, told] of rows) t.equal(answered([said]), told, what)
  const value = `Invalid value: {"a":"${long}"}: field is immutable`
  matches(t, answered(Array(12).fill(value)), /immutable and 2 more$/, 'ten of many')
  t.equal(
    answered(['Required value', 'Forbidden']),
    `${subject}: spec.template: Required value, spec.template: Forbidden`,
  )
  const kept: [what: string, change: object][] = [
    ['other reasons', { reason: 'Conflict' }],
    ['no causes', { details: {} }],
    ['a webhook', { message: `admission webhook "a.b" denied the request: ${'y'.repeat(300)}` }],
  ]
  for (const [what, change] of kept) matches(t, answered([value], change), /[xy]{200}/, what)
  t.equal(refusalText(new Error(long)), long, 'what is no answer')
})

t.test('SEE-90 a refused name has its sentence and example, without the regular expression', async t => {
  const { message, causes } = nameRefused
  t.equal(refusalText(apiErrorOf({ code: 422, reason: 'Invalid', message }, asked)), nameRefused.told)
  const long = { code: 422, reason: 'Invalid', message: `${message}${' '.repeat(300)}.`, details: { causes } }
  t.equal(refusalText(apiErrorOf(long, asked)), nameRefused.told, 'reduced to its causes')
})

const asked = { code: 422, asked: 'PATCH /a' }
const rule = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters (e.g. 'example.com'"
const expression = "regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'"
const nameRefused = {
  message: `ConfigMap "B" is invalid: metadata.name: Invalid value: "B": ${rule}, ${expression})`,
  causes: [
    { reason: 'FieldValueInvalid', field: 'metadata.name', message: `Invalid value: "B": ${rule}, ${expression})` },
  ],
  told: `ConfigMap "B" is invalid: metadata.name: Invalid value: "B": ${rule})`,
}
