// Changes one field of an object by its path. The object may be any JSON.
import { own } from '../../../shared/core/json/fields.ts'
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'

/**
 * A copy in which `change` was applied to the field. The same object if nothing changes, or if a value on the path is no map.
 * Missing maps on the path are created if there is a value to put in.
 */
export const changedAt = <T>(object: T, path: string, change: (value: unknown) => unknown): T =>
  changed(object, path.split('.'), change) as T

const changed = (value: unknown, [step, ...rest]: string[], change: (value: unknown) => unknown): unknown => {
  if (step === undefined) return change(value)
  if (value !== undefined && !isMap(value)) return value
  const owner: JsonMap = value ?? {}
  const inner = own(owner, step)
  const made = changed(inner, rest, change)
  return Object.is(made, inner) ? value : { ...owner, [step]: made }
}
