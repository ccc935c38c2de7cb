// Answers an AdmissionReview with one function's verdict, or with HTTP 400 for an invalid review. If an API server is unavailable, the
// route answers 503, and the webhook's failurePolicy applies. An invalid request is never allowed.
import { checks } from '../core/decisions/checks.ts'
import { isMap, isText, mapOrEmpty } from '../core/json/json.ts'
import { jsonPatch } from '../core/json/json-patch.ts'
import type { Log } from '../core/log.ts'
import { operations, reviewFault } from '../core/objects/admission-review.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { errorText } from '../core/text/error-text.ts'
import { isTrouble } from '../kube/errors.ts'
import type { GatherContext } from './context.ts'
import type { AdmissionFunction, AdmissionRequest, AdmissionVerdict } from './definition.ts'

type AdmissionReply = { code: 200; body: AdmissionReview } | { code: 400; body: { message: string } }

export type AdmissionReview = { apiVersion: string; kind: 'AdmissionReview'; response: AdmissionResponse }

type AdmissionResponse = {
  uid: string
  allowed: boolean
  status?: { code: number; reason: string; message: string; details?: object }
  warnings?: string[]
  patchType?: 'JSONPatch'
  patch?: string
}

export const admit = async (
  definition: AdmissionFunction,
  body: unknown,
  context: GatherContext & { log: () => Log },
): Promise<AdmissionReply> => {
  const fault = reviewFault(mapOrEmpty(body))
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

const verdictOn = async (
  definition: AdmissionFunction,
  raw: RawRequest,
  context: GatherContext & { log: () => Log },
): Promise<AdmissionVerdict> => {
  const fault = requestFault(raw, definition)
  if (fault !== undefined) return badRequest(fault)
  if (raw.operation === 'CONNECT') return { allowed: true }
  try {
    return await definition.review(requestOf(raw), context)
  } catch (error) {
    if (isTrouble(error)) throw error
    context
      .log()
      .error({ err: error, function: definition.name, uid: raw.uid }, 'an AdmissionReview could not be evaluated')
    const cause = errorText(error)
    return { allowed: false, code: 500, reason: 'InternalError', message: cause }
  }
}

const requestFault = checks<[RawRequest, AdmissionFunction], string>(
  ({ operation }) =>
    !operations.includes(operation) &&
    `unknown operation ${quoted(operation)}: expected one of ${operations.join(', ')}`,
  (request, { kind, also = [] }) => {
    const expected = [kind, ...also].map(({ apiVersion, kind }) => `${apiVersion}, Kind=${kind}`)
    return !expected.includes(kindText(request)) && `expected ${expected.join(' or ')}, got ${kindText(request)}`
  },
  ({ operation, subResource }) =>
    operation !== 'CONNECT' &&
    (subResource ?? '') !== '' &&
    `the subresource ${quoted(subResource)} is not reviewed by this webhook`,
  ({ operation, object }) =>
    ['CREATE', 'UPDATE'].includes(operation) && !hasMetadata(object) && 'request.object is not an object',
  ({ operation, oldObject }) =>
    ['UPDATE', 'DELETE'].includes(operation) && !hasMetadata(oldObject) && 'request.oldObject is not an object',
)

const requestOf = (raw: RawRequest): AdmissionRequest => ({
  ...raw,
  object: hasMetadata(raw.object) ? raw.object : null,
  oldObject: hasMetadata(raw.oldObject) ? raw.oldObject : null,
  dryRun: raw.dryRun === true,
  userInfo: mapOrEmpty(raw.userInfo),
})

const response = (request: RawRequest, verdict: AdmissionVerdict): AdmissionResponse => ({
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

/** A metav1.Status as the API server makes it, so that kubectl prints it in the same way. */
const denial = (request: RawRequest, { code, reason, message, causes }: AdmissionVerdict & { allowed: false }) => {
  const { group, kind } = mapOrEmpty(request.kind)
  const details = causes && { name: request.name ?? '', group, kind, causes }
  return { code, reason, message, ...(details ? { details } : {}) }
}

const badRequest = (message: string): AdmissionVerdict => ({ allowed: false, code: 400, reason: 'BadRequest', message })

const kindText = ({ kind }: RawRequest): string => {
  const { group, version, kind: name } = mapOrEmpty(kind)
  return isText(version) && isText(name) ? `${isText(group) ? `${group}/` : ''}${version}, Kind=${name}` : 'no kind'
}

const hasMetadata = (value: unknown): value is KubeObject => isMap(value) && isMap(value.metadata)
const quoted = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 64)
