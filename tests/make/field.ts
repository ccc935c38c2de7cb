// Fields of objects by path, as people write them: `spec.dns.providers[0].name`.

/** The value there; undefined when there is none. */
export const valueAt = (object: unknown, path: string): unknown =>
  stepsOf(path).reduce<unknown>((value, step) => (value as Fields | null | undefined)?.[step], object)

/** A copy with this value there; what is missing on the way is filled in. */
export const withValue = <T>(object: T, path: string, value: unknown): T => set(object, stepsOf(path), value) as T

/** A copy without the field. */
export const without = <T>(object: T, path: string): T => JSON.parse(JSON.stringify(withValue(object, path, undefined)))

type Fields = Record<string | number, unknown>

const stepsOf = (path: string): (string | number)[] =>
  path.split(/[.[]/).map(step => (step.endsWith(']') ? Number.parseInt(step, 10) : step))

const set = (object: unknown, [step = '', ...rest]: (string | number)[], value: unknown): unknown => {
  const inner = rest.length > 0 ? set((object as Fields | undefined)?.[step], rest, value) : value
  if (typeof step === 'string') return { ...(object as object | undefined), [step]: inner }
  const items = [...((object as unknown[] | undefined) ?? [])]
  return Array.from({ length: Math.max(items.length, step + 1) }, (_, i) => (i === step ? inner : (items[i] ?? {})))
}
