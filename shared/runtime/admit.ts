// AdmissionReview in, AdmissionReview out. Whatever comes in, the answer is a valid review or a refusal with HTTP 400;
// never an empty one, and never "allowed" for what was not understood.
import { isMap, isText, type JsonMap } from '../core/json.ts'
import { jsonPatch } from '../core/json-patch.ts'
import type { Log } from '../core/log.ts'
import type { KubeObject } from '../core/object.ts'
import type { AdmissionFunction, AdmissionRequest, GatherContext, Verdict } from './definition.ts'

export type AdmissionReply = { code: 200; body: AdmissionReview } | { code: 400; body: { message: string } }

export type AdmissionReview = { apiVersion: string; kind: 'AdmissionReview'; response: AdmissionResponse }

export type AdmissionResponse = {
  uid: string
  allowed: boolean
  status?: { code: number; reason: string; message: string; details?: object }
  warnings?: string[]
  patchType?: 'JSONPatch'
  patch?: string
}

const versions = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']
const operations = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']

/** Answers one review with one function's verdict. */
export const admit = async (
  definition: AdmissionFunction,
  body: unknown,
  context: GatherContext & { log: () => Log },
): Promise<AdmissionReply> => {
  const fault = reviewFault(body)
  if (fault !== undefined) return { code: 400, body: { message: fault } }
  const { apiVersion, request } = body as Review
  const verdict = await verdictOn(definition, request, context)
  return { code: 200, body: { apiVersion, kind: 'AdmissionReview', response: response(request, verdict) } }
}

type Review = { apiVersion: string; kind: string; request: RawRequest }
type RawRequest = Omit<AdmissionRequest, 'object' | 'oldObject' | 'dryRun'> & {
  object?: unknown
  oldObject?: unknown
  dryRun?: boolean
}

/** Why this is no review we could answer at all. First row that applies. */
const reviewFault = (body: unknown): string | undefined =>
  reviewChecks.find(([isFault]) => isFault(map(body), map(map(body).request)))?.[1]

const reviewChecks: readonly [(review: JsonMap, request: JsonMap) => boolean, string][] = [
  [review => review.kind !== 'AdmissionReview', 'expected an AdmissionReview'],
  [review => !versions.some(version => version === review.apiVersion), 'expected admission.k8s.io/v1 or v1beta1'],
  [review => !isMap(review.request), 'the AdmissionReview has no request'],
  [(_, request) => !isText(request.uid), 'the AdmissionReview has no request.uid'],
]

const verdictOn = async (
  definition: AdmissionFunction,
  raw: RawRequest,
  context: GatherContext & { log: () => Log },
): Promise<Verdict> => {
  const fault = requestChecks.find(([isFault]) => isFault(raw, definition))
  if (fault) return badRequest(fault[1](raw, definition))
  if (raw.operation === 'CONNECT') return { allowed: true }
  try {
    return await definition.review(requestOf(raw), context)
  } catch (error) {
    context.log().error({ err: error, function: definition.name, uid: raw.uid }, 'a review could not be judged')
    const cause = error instanceof Error ? error.message : String(error)
    return { allowed: false, code: 500, reason: 'InternalError', message: cause }
  }
}

/** What makes a request one that this function cannot judge. First row that applies. */
const requestChecks: readonly [
  (request: RawRequest, definition: AdmissionFunction) => boolean,
  (request: RawRequest, definition: AdmissionFunction) => string,
][] = [
  [
    request => !operations.includes(request.operation),
    request => `unknown operation ${quoted(request.operation)}: expected one of ${operations.join(', ')}`,
  ],
  [
    (request, { kind }) => kindText(request) !== `${kind.apiVersion}, Kind=${kind.kind}`,
    (request, { kind }) => `expected ${kind.apiVersion}, Kind=${kind.kind}, got ${kindText(request)}`,
  ],
  [
    request => request.operation !== 'CONNECT' && (request.subResource ?? '') !== '',
    request => `the subresource ${quoted(request.subResource)} is not reviewed here`,
  ],
  [
    request => ['CREATE', 'UPDATE'].includes(request.operation) && !isObject(request.object),
    () => 'request.object is no object',
  ],
  [
    request => ['UPDATE', 'DELETE'].includes(request.operation) && !isObject(request.oldObject),
    () => 'request.oldObject is no object',
  ],
]

const requestOf = (raw: RawRequest): AdmissionRequest => ({
  ...raw,
  object: isObject(raw.object) ? raw.object : null,
  oldObject: isObject(raw.oldObject) ? raw.oldObject : null,
  dryRun: raw.dryRun === true,
  userInfo: map(raw.userInfo),
})

const response = (request: RawRequest, verdict: Verdict): AdmissionResponse => ({
  uid: request.uid,
  allowed: verdict.allowed,
  ...(verdict.warnings?.length ? { warnings: verdict.warnings } : {}),
  ...(verdict.allowed ? patchPart(request, verdict.object) : { status: denial(request, verdict) }),
})

const patchPart = (request: RawRequest, object: KubeObject | undefined) => {
  const patch = object ? jsonPatch(request.object, object) : []
  if (patch.length === 0) return {}
  return { patchType: 'JSONPatch' as const, patch: Buffer.from(JSON.stringify(patch)).toString('base64') }
}

/** As the API server spells a refusal of its own, so that kubectl prints it the same way. */
const denial = (request: RawRequest, { code, reason, message, causes }: Verdict & { allowed: false }) => {
  const { group, kind } = map(request.kind)
  const details = causes && { name: request.name ?? '', group, kind, causes }
  return { code, reason, message, ...(details ? { details } : {}) }
}

const badRequest = (message: string): Verdict => ({ allowed: false, code: 400, reason: 'BadRequest', message })

const kindText = ({ kind }: RawRequest): string => {
  const { group, version, kind: name } = map(kind)
  return isText(version) && isText(name) ? `${isText(group) ? `${group}/` : ''}${version}, Kind=${name}` : 'no kind'
}

const map = (value: unknown): JsonMap => (isMap(value) ? value : {})

const isObject = (value: unknown): value is KubeObject => isMap(value) && isMap(value.metadata)
const quoted = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 64)
