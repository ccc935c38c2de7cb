// Field errors in Kubernetes' words, and the Status that contains them.
import { canonicalJson } from '../json/json.ts'
import { excerpt, unicodeEscape } from '../text/text.ts'

/** A cause in a Status. `message` does not repeat the field. */
export type FieldError = { readonly reason: FieldErrorType; readonly field: string; readonly message: string }

type FieldErrorType = `FieldValue${Fault}`
type Fault = 'Required' | 'Invalid' | 'Forbidden' | 'Duplicate' | 'NotSupported' | 'TooMany'

const fieldError = (fault: Fault, field: string, text: string, detail = ''): FieldError => ({
  reason: `FieldValue${fault}`,
  field,
  message: detail === '' ? text : `${text}: ${detail}`,
})

export const required = (field: string, detail: string): FieldError =>
  fieldError('Required', field, 'Required value', detail)

/** The value is malformed, or contradicts other fields. */
export const invalid = (field: string, value: unknown, detail: string): FieldError =>
  fieldError('Invalid', field, `Invalid value: ${shown(value)}`, detail)

export const forbidden = (field: string, detail: string): FieldError =>
  fieldError('Forbidden', field, 'Forbidden', detail)

export const duplicate = (field: string, value: unknown): FieldError =>
  fieldError('Duplicate', field, `Duplicate value: ${shown(value)}`)

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => {
  const detail = supported.length > 0 ? `supported values: ${supported.map(shown).join(', ')}` : ''
  return fieldError('NotSupported', field, `Unsupported value: ${shown(value)}`, detail)
}

export const tooMany = (field: string, length: number, most: number): FieldError =>
  fieldError('TooMany', field, `Too many: ${length}: must have at most ${most} items`)

type Refused = { group: string; kind: string; name: string }

/** As in Kubernetes, the message contains equal errors only once. */
export const invalidStatus = ({ group, kind, name }: Refused, errors: readonly FieldError[]) => {
  const sentences = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))]
  const [first = '', ...others] = sentences
  const all = others.length > 0 ? `[${sentences.join(', ')}]` : first
  return {
    code: 422,
    reason: 'Invalid',
    message: `${kind}.${group} ${quoted(name)} is invalid: ${all}`,
    causes: errors.map(error => ({ ...error })),
  }
}

/** Long values are cut, because they come from callers and are logged. */
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? quoted(value.slice(0, longest)) : canonicalJson(value)
  return excerpt(longest, text)
}
const longest = 500

/** Quotes like Go's %q: as JSON, with all control characters escaped. */
const quoted = (text: string): string =>
  JSON.stringify(text)
    .replace(/\\u00([01][0-9a-f])/g, (_, digits) => (digits === '0b' ? '\\v' : `\\x${digits}`))
    .replaceAll('\u007f', '\\x7f')
    .replace(/[\u0080-\u00a0\u2028\u2029\ufeff]/g, unicodeEscape)
