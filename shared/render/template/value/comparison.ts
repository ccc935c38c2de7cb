// Comparing values by Go's rules: kinds do not mix, but signed and unsigned integers do.
import { formatted } from '../format/print.ts'
import { Failure } from '../run/failure.ts'
import { compareText } from './bytes.ts'
import { Instant } from './instant.ts'
import { integerOf, kindName, typeName } from './kinds.ts'
import { type GoValue, isMissing, Struct } from './value.ts'

type Basic = 'bool' | 'int' | 'float' | 'string'

const basicKind = (value: GoValue): Basic | undefined => {
  if (integerOf(value) !== undefined) return 'int'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'float'
  return typeof value === 'string' ? 'string' : undefined
}

/** `eq`. Throws a Failure where Go does not compare. */
export const isEqualTo = (a: GoValue, b: GoValue): boolean => {
  const [kind, other] = [basicKind(a), basicKind(b)]
  if (kind !== other) {
    if (isMissing(a) || isMissing(b)) return false
    throw incompatible(a, b)
  }
  if (kind === 'int') return integerOf(a) === integerOf(b)
  if (kind !== undefined) return a === b
  if (isMissing(a) || isMissing(b)) return isMissing(a) && isMissing(b)
  if (a instanceof Instant && b instanceof Instant) return a.nanoseconds === b.nanoseconds && a.zone === b.zone
  if (kindName(a) !== kindName(b)) throw ofOtherKind(a, b)
  if (a instanceof Struct && b instanceof Struct && a.under === undefined) return a === b
  throw new Failure(`non-comparable type ${formatted(b)}: ${typeName(b)}`)
}

const ofOtherKind = (a: GoValue, b: GoValue): Failure =>
  new Failure(`non-comparable types ${formatted(a)}: ${typeName(a)}, ${typeName(b)}: ${formatted(b)}`)

/** Below 0 if a comes before b. A NaN comes before nothing. */
export const compared = (a: GoValue, b: GoValue): number => {
  const [kind, other] = [basicKind(a), basicKind(b)]
  if (kind === undefined || other === undefined) throw new Failure('invalid type for comparison')
  if (kind !== other) throw incompatible(a, b)
  if (kind === 'bool') throw new Failure('invalid type for comparison')
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  const [x, y] = [integerOf(a) ?? Number(a), integerOf(b) ?? Number(b)]
  return x < y ? -1 : 1
}

const incompatible = (a: GoValue, b: GoValue): Failure =>
  new Failure(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`)
