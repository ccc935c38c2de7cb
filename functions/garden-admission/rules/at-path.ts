// One field deep within an object, by its path. Nothing is expected of the object: it may be any JSON.
import { own } from '../../../shared/core/fields.ts'
import { isMap, type JsonMap } from '../../../shared/core/json.ts'

/**
 * A copy in which the field has what `change` makes of its value; the very same object when that is no change, or when
 * something on the way to the field is no object. What is missing on the way is made if there is something to put there.
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
