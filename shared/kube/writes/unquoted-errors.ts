// Shortens errors of API servers for status and Events. Errors about objects with text of a Secret lose all quoted values, because API
// servers quote refused values.
import { type GroupVersionKind, groupOf } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import { listText } from '../../core/text/text.ts'
import { ApiError, type StatusCause } from '../errors.ts'

/** Longer messages are reduced to fields and reasons. */
const readableCharacters = 256

/** API servers explain a wrong name by a sentence with an example, and then by this regular expression, which we remove. */
const expression = /, regex used for validation is '[^']*'/g

/** Example: `Job.batch "a" is invalid: spec.template: Invalid value: field is immutable`, without the whole template. */
export const refusalText = (error: unknown): string => {
  const text = errorText(error).replaceAll(expression, '')
  if (!(error instanceof ApiError) || error.reason !== 'Invalid' || error.isDenied) return text
  const causes = error.causes.flatMap(({ field, message }) =>
    message ? `${field ? `${field}: ` : ''}${message.replaceAll(expression, '')}` : [],
  )
  if (text.length <= readableCharacters || causes.length === 0) return text
  return `${text.split(': ', 1)[0]}: ${listText(causes, { between: '; ' })}`
}

export const withoutQuotes = (error: unknown, kind: GroupVersionKind): unknown =>
  error instanceof ApiError ? withoutMessage(error, { fieldText: field => plainField(field, kind) }) : error

/** Like `withoutQuotes`, but only for Secrets. Names of keys are not secret. `asked`: the request, for the message. */
export const withoutSecretQuotes = (
  error: unknown,
  { kind, asked }: { kind: GroupVersionKind; asked: string },
): unknown =>
  error instanceof ApiError && kind.apiVersion === 'v1' && kind.kind === 'Secret'
    ? withoutMessage(error, { fieldText: field => field, asked })
    : error

type ErrorWords = { readonly fieldText: (field: string) => string; readonly asked?: string }

const withoutMessage = (error: ApiError, { fieldText, asked }: ErrorWords): ApiError => {
  const { code, details, retryAfterSeconds, isDenied } = error
  const reason = reasons.has(error.reason) ? error.reason : 'Unknown'
  const causes = error.causes.map(cause => plainCause(cause, fieldText))
  const fields = [...new Set(causes.flatMap(causeText))].slice(0, fieldsMost)
  const where = fields.length > 0 ? ` for ${fields.join(', ')}` : ''
  const known = knownIn(error.message)
  const said = `the API server answered ${code} ${reason}${where}${known && `: ${known}`}`
  return new ApiError({
    code,
    reason,
    retryAfterSeconds,
    isDenied,
    details: { ...details, causes },
    message: `${asked === undefined ? '' : `${asked}: `}${said}; its message may quote a Secret and is left out`,
  })
}

const fieldsMost = 10

/** Kubernetes' own reasons. A webhook may send any text as reason. */
const reasons: ReadonlySet<string> = new Set([
  ...['Unauthorized', 'Forbidden', 'NotFound', 'AlreadyExists', 'Conflict', 'Gone', 'Invalid', 'ServerTimeout'],
  ...['Timeout', 'TooManyRequests', 'BadRequest', 'MethodNotAllowed', 'NotAcceptable', 'RequestEntityTooLarge'],
  ...['UnsupportedMediaType', 'InternalError', 'Expired', 'ServiceUnavailable', 'StoreReadError'],
])

const plainCause = ({ reason, field }: StatusCause, fieldText: ErrorWords['fieldText']): StatusCause => ({
  ...(reason !== undefined && /^Field[A-Za-z]+$/.test(reason) && { reason }),
  ...(field !== undefined && { field: fieldText(field) }),
})

const causeText = ({ reason, field }: StatusCause): string[] =>
  field ? [reason === undefined ? field : `${field} (${reason})`] : []

/** A field path without map keys, because map keys come from the object. For kinds of other projects, only the first name is shown. */
const plainField = (field: string, { apiVersion }: GroupVersionKind): string => {
  const path = field.replaceAll(/\[(?!\d+\])[^\]]*\]?/g, '[…]')
  const [, first = '', rest = ''] = /^(metadata(?:\.[a-zA-Z]+)?|[a-z][A-Za-z]*)([.[].*)?$/s.exec(path) ?? []
  return isBuiltIn(apiVersion) && /^(?:\.[A-Za-z0-9]+|\[(?:\d+|…)\])*$/.test(rest) ? first + rest : first
}

const isBuiltIn = (apiVersion: string): boolean => /^[a-z]*$|\.k8s\.io$/.test(groupOf(apiVersion))

/** Messages of Kubernetes that quote only the refused user, or the policy or webhook that refused the request. */
const sentences: readonly RegExp[] = [
  /(?<=^\S+(?: "[^"]*")? is forbidden: )User "[^"]+" cannot [a-z]+ resource "[a-z0-9./-]+" in API group "[a-z0-9.-]*"/,
  /(?<=^\S+(?: "[^"]*")? is forbidden: )ValidatingAdmissionPolicy '[\w.-]+' with binding '[\w.-]+' denied request/,
  /^admission webhook "[\w.-]+" denied the request/,
  /(?<=^Internal error occurred: )failed calling webhook "[\w.-]+"/,
]

const knownIn = (message: string): string =>
  sentences.map(sentence => sentence.exec(message)?.[0]).find(found => found !== undefined) ?? ''
