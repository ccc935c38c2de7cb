// What tests compare with. Of an object, only the fields in the expectation count, so that a test says what it is about. Everything else counts
// whole: only no step at all meets `{ steps: [] }`, 'NotReady' does not meet `'Ready'`, and a Date is met by the same moment.
import { inspect, isDeepStrictEqual } from 'node:util'
import type { Test } from 'tap'

/** The part of a test that reports that something passed or failed. */
export type Assertions = Pick<Test, 'pass' | 'fail' | 'currentAssert'>

type Fields = Readonly<Record<string, unknown>>
type Kind<Expected> = {
  readonly is: (expected: unknown) => expected is Expected
  readonly differences: (found: unknown, expected: Expected, path: string) => string[]
}
type Constructor = (new (...given: never[]) => unknown) & { readonly name: string }
type Condition = (found: unknown) => boolean

/**
 * Passes if `found` is as expected, and says field by field what is not.
 *
 * In an expectation a regular expression stands for the texts it fits, `String`, `Number`, `Object` or a class for its values,
 * an arrow function for what it accepts, and `undefined` for a field that is not there. `{}` is an object without fields.
 */
export const matches = (t: Assertions, found: unknown, expected: unknown, message = 'is as expected'): boolean => {
  t.currentAssert = matches
  const differences = differencesOf(found, expected)
  return differences.length === 0 ? t.pass(message) : t.fail(message, { differences, found: shown(found) })
}

/** Passes if `found` is a text with this part. */
export const contains = (t: Assertions, found: unknown, part: string, message = `has ${part}`): boolean => {
  t.currentAssert = contains
  return typeof found === 'string' && found.includes(part)
    ? t.pass(message)
    : t.fail(message, { part, found: shown(found) })
}

/** Passes if `found` is a text in which nothing fits. undefined or a list fails, because these would contain nothing anyway. */
export const lacks = (t: Assertions, found: unknown, part: string | RegExp, message = `has no ${part}`): boolean => {
  t.currentAssert = lacks
  const isSought =
    typeof part === 'string' ? (text: string) => text.includes(part) : (text: string) => text.search(part) >= 0
  return typeof found === 'string' && !isSought(found)
    ? t.pass(message)
    : t.fail(message, { unwanted: String(part), found: shown(found) })
}

/** Passes if `act` throws as expected. A regular expression is compared with the message. Without an expectation any error passes. */
export const throws = (t: Assertions, act: () => unknown, expected: unknown = Error, message?: string): boolean => {
  t.currentAssert = throws
  try {
    const result = act()
    return t.fail(message ?? 'throws', { differences: [`expected an error, found ${shown(result)}`] })
  } catch (error) {
    return isThrown(t, { error, expected, message })
  }
}

/** Passes if the promise, or what `act` begins, is rejected as expected: see `throws`. */
export const rejects = async (
  t: Assertions,
  act: Promise<unknown> | (() => unknown),
  expected: unknown = Error,
  message?: string,
): Promise<boolean> => {
  try {
    const result = await (typeof act === 'function' ? act() : act)
    t.currentAssert = rejects
    return t.fail(message ?? 'rejects', { differences: [`expected an error, found ${shown(result)}`] })
  } catch (error) {
    t.currentAssert = rejects
    return isThrown(t, { error, expected, message })
  }
}

type Thrown = { readonly error: unknown; readonly expected: unknown; readonly message: string | undefined }

const isThrown = (t: Assertions, { error, expected, message }: Thrown): boolean =>
  expected instanceof RegExp ? matches(t, error, { message: expected }, message) : matches(t, error, expected, message)

/** A line for each place where `found` is not as expected; none if it is. */
export const differencesOf = (found: unknown, expected: unknown, path = ''): string[] => {
  if (found === expected || Object.is(found, expected)) return []
  const kind = kinds.find(({ is }) => is(expected))
  if (kind) return kind.differences(found, expected, path)
  return isDeepStrictEqual(found, expected) ? [] : difference(path, shown(expected), found)
}

const difference = (path: string, expected: string, found: unknown): string[] => [
  `${path && `${path}: `}expected ${expected}, found ${shown(found)}`,
]

const shown = (value: unknown): string => inspect(value, { depth: 8, breakLength: 120, maxStringLength: 1_000 })

const types = new Map<unknown, Condition>([
  [String, found => typeof found === 'string'],
  [Number, Number.isFinite],
  [Boolean, found => typeof found === 'boolean'],
  [Object, found => typeof found === 'object' && found !== null && !Array.isArray(found)],
])

const isOf = (found: unknown, expected: Constructor): boolean =>
  types.get(expected)?.(found) ?? found instanceof expected

const isPlain = (value: unknown): value is Fields => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

const kind = <Expected>(kind: Kind<Expected>): Kind<unknown> => kind as Kind<unknown>

const kinds: readonly Kind<unknown>[] = [
  kind({
    is: expected => expected instanceof RegExp,
    differences: (found, expected, path) =>
      typeof found === 'string' && found.search(expected) >= 0 ? [] : difference(path, String(expected), found),
  }),
  kind({
    is: (expected): expected is Constructor => typeof expected === 'function' && 'prototype' in expected,
    differences: (found, expected, path) => (isOf(found, expected) ? [] : difference(path, expected.name, found)),
  }),
  kind({
    is: (expected): expected is Condition => typeof expected === 'function',
    differences: (found, expected, path) =>
      expected(found) === true ? [] : difference(path, `what fits ${expected}`, found),
  }),
  kind<readonly unknown[]>({
    is: Array.isArray,
    differences: (found, expected, path) => {
      if (!Array.isArray(found)) return difference(path, shown(expected), found)
      if (found.length !== expected.length) return difference(path, `${expected.length} items`, found)
      return expected.flatMap((item, at) => differencesOf(found[at], item, `${path}[${at}]`))
    },
  }),
  kind<ReadonlyMap<unknown, unknown>>({
    is: expected => expected instanceof Map,
    differences: (found, expected, path) => {
      if (!(found instanceof Map) || !isDeepStrictEqual(new Set(found.keys()), new Set(expected.keys())))
        return difference(path, shown(expected), found)
      return [...expected].flatMap(([key, value]) => differencesOf(found.get(key), value, `${path}.${key}`))
    },
  }),
  kind({
    is: expected => expected instanceof Error,
    differences: (found, { name, message, ...fields }, path) =>
      found instanceof Error
        ? differencesOfFields(found, { name, message, ...fields }, path)
        : difference(path, `${name}: ${message}`, found),
  }),
  kind({
    is: isPlain,
    differences: (found, expected, path) => {
      if (typeof found !== 'object' || found === null || Array.isArray(found) || Object.keys(expected).length === 0)
        return isPlain(found) && Object.keys(found).length === 0 ? [] : difference(path, shown(expected), found)
      return differencesOfFields(found, expected, path)
    },
  }),
]

const differencesOfFields = (found: object, expected: Fields, path: string): string[] =>
  Object.entries(expected).flatMap(([name, value]) => differencesOf(fieldOf(found, name), value, `${path}.${name}`))

/** Inherited fields count, because an error may inherit its message, but not those that every object has. */
const fieldOf = (found: object, name: string): unknown =>
  Object.hasOwn(found, name) || !(name in Object.prototype) ? Reflect.get(found, name) : undefined
