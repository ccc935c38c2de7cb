// Faults of a field, in the words of the API server.
import { type FieldFault, quote } from './status.ts'
import { canonicalJson } from './value.ts'

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
