// The API server's errors: one builder per reason, and one per fault of a field, with the messages that clients and kubectl expect.
import { canonicalJson, type JsonMap } from './value.ts'

export type Cause = { reason?: string; message?: string; field?: string }

export type StatusDetails = {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: Cause[]
  retryAfterSeconds?: number
}

type Named = { group: string; plural: string; kind: string }

/** Thrown anywhere below the HTTP layer, which sends it as a response. */
export class StatusError extends Error {
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  readonly metadata: JsonMap

  constructor(code: number, reason: string, message: string, details?: StatusDetails, metadata: JsonMap = {}) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = details
    this.metadata = metadata
  }

  toStatus(): JsonMap {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.metadata,
      status: 'Failure',
      message: this.message,
      ...(this.reason && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    }
  }
}

/** A group, version and kind as Go prints them. The name of the core group is ''. */
export const gvkText = ({ apiVersion, kind }: { apiVersion: string; kind: string }): string =>
  `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`

const qualified = (name: string, group: string): string => (group ? `${name}.${group}` : name)
const groupDetail = (group: string): { group?: string } => (group ? { group } : {})

const resourceText = (named: Named): string => qualified(named.plural, named.group)

const resourceDetails = (named: Named, name: string): StatusDetails => ({
  ...(name && { name }),
  ...groupDetail(named.group),
  kind: named.plural,
})

const objectText = (named: Named, name: string): string => `${resourceText(named)} ${quote(name)}`

export const notFound = (named: Named, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${objectText(named, name)} not found`, resourceDetails(named, name))

export const alreadyExists = (named: Named, name: string, isEnding = false): StatusError => {
  const message = `${isEnding ? 'object is being deleted: ' : ''}${objectText(named, name)} already exists`
  return new StatusError(409, 'AlreadyExists', message, resourceDetails(named, name))
}

export const conflict = (named: Named, name: string, why: string): StatusError => {
  const message = `Operation cannot be fulfilled on ${objectText(named, name)}: ${why}`
  return new StatusError(409, 'Conflict', message, resourceDetails(named, name))
}

export const modified = (named: Named, name: string): StatusError =>
  conflict(named, name, 'the object has been modified; please apply your changes to the latest version and try again')

export const forbidden = (named: Named, name: string, why: string, causes?: Cause[]): StatusError =>
  new StatusError(403, 'Forbidden', `${name ? objectText(named, name) : resourceText(named)} is forbidden: ${why}`, {
    ...resourceDetails(named, name),
    ...(causes && { causes }),
  })

export const forbiddenPath = (message: string): StatusError => new StatusError(403, 'Forbidden', message, {})

/** `reason`: the type of the cause, for example FieldValueInvalid. */
export type FieldFault = { reason: string; field: string; detail: string }

const faultText = (fault: FieldFault): string => `${fault.field}: ${fault.detail}`

export const invalid = (named: { group: string; kind: string }, name: string, faults: FieldFault[]): StatusError => {
  const texts = [...new Set(faults.map(faultText))]
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const subject = `${qualified(named.kind, named.group)} ${quote(name)} is invalid`
  return new StatusError(422, 'Invalid', faults.length ? `${subject}: ${list}` : subject, {
    ...(name && { name }),
    ...groupDetail(named.group),
    ...(named.kind && { kind: named.kind }),
    ...(faults.length && {
      causes: faults.map(fault => ({ reason: fault.reason, message: fault.detail, field: fault.field })),
    }),
  })
}

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message)

export const unauthorized = (): StatusError => new StatusError(401, 'Unauthorized', 'Unauthorized')

export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message)

export const tooLargeRevision = (wanted: number, current: number): StatusError =>
  new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  })

export const methodNotSupported = (named: Named, action: string): StatusError => {
  const message = `${action} is not supported on resources of kind ${quote(resourceText(named))}`
  return new StatusError(405, 'MethodNotAllowed', message, resourceDetails(named, ''))
}

export const methodNotAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})

export const unknownResource = (): StatusError =>
  new StatusError(404, 'NotFound', 'the server could not find the requested resource', {})

export const unsupportedMediaType = (accepted: readonly string[]): StatusError => {
  const why = 'the body of the request was in an unknown format'
  return new StatusError(415, 'UnsupportedMediaType', `${why} - accepted media types include: ${accepted.join(', ')}`)
}

export const unsupportedPatch = (): StatusError =>
  new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {})

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`)

export const tooLarge = (message: string): StatusError =>
  new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`)

export const internal = (message: string): StatusError =>
  new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })

export const quote = (text: string): string => JSON.stringify(text)

const text = (value: unknown): string => (typeof value === 'string' ? quote(value) : canonicalJson(value))

const fault = (reason: string, field: string, detail: string): FieldFault => ({
  reason: `FieldValue${reason}`,
  field,
  detail,
})

export const invalidValue = (field: string, value: unknown, why: string): FieldFault =>
  fault('Invalid', field, `Invalid value: ${text(value)}: ${why}`)

export const required = (field: string, why = ''): FieldFault =>
  fault('Required', field, `Required value${why && `: ${why}`}`)

export const forbiddenField = (field: string, why: string): FieldFault => fault('Forbidden', field, `Forbidden: ${why}`)

export const unsupported = (field: string, value: unknown, supported: readonly unknown[]): FieldFault =>
  fault('NotSupported', field, `Unsupported value: ${text(value)}: supported values: ${supported.map(text).join(', ')}`)

export const duplicate = (field: string, value: unknown): FieldFault =>
  fault('Duplicate', field, `Duplicate value: ${text(value)}`)

export const immutable = (field: string, value: unknown): FieldFault => invalidValue(field, value, 'field is immutable')

export const tooLong = (field: string, most: number): FieldFault =>
  fault('TooLong', field, `Too long: may not be more than ${most} bytes`)

/** false if the value is in the list. */
export const unlisted = (field: string, value: unknown, supported: readonly string[]): FieldFault | false =>
  !supported.includes(String(value)) && unsupported(field, value, supported)

export const faultsIn = (
  ...checks: readonly (FieldFault | readonly FieldFault[] | false | undefined)[]
): FieldFault[] => checks.flatMap(check => check || [])
