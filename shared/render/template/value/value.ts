// The values that templates compute with, and how Go's kinds are told apart in JavaScript:
//
//   number    float64, as every number from YAML and JSON is      bigint   int, as literals and `len` are
//   Sized     the other integers: int64, int32, uint8, …          string   bytes, see bytes.ts
//   GoMap     maps with string keys; never a plain object, so that `__proto__` is a key like any other
//   array     []interface {}; a TypedList knows another element type, or that it is nil
//   Instant   time.Time                                           Struct   what has named fields or methods
//   null      a nil that an interface holds                       undefined   no value at all: reflect's invalid Value
import type { Budget, Environment } from '../run/environment.ts'

export type GoValue =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Sized
  | Uint8Array
  | readonly GoValue[]
  | GoMap
  | Instant
  | Struct

export type ParameterType =
  | 'string'
  | 'bool'
  | 'int'
  | 'uint32'
  | 'int64'
  | 'float64'
  | 'any'
  | 'value'
  | 'map'
  | 'list'
  | 'time'
  | 'certificate'

export type TemplateFunction = {
  readonly parameters: readonly ParameterType[]
  /** The type of any number of further arguments. */
  readonly rest: ParameterType | undefined
  /** Called with arguments of the right types. Throws a Failure. */
  readonly call: (call: Call, args: readonly GoValue[]) => GoValue
}

export type Call = {
  readonly environment: Environment
  readonly budget: Budget
  readonly draw: (bytes: number) => Uint8Array
  /** `include`: the output of a named template. */
  readonly include: (name: string, data: GoValue) => string
  /** `tpl`: the text sees all templates of the set and may define its own. */
  readonly render: (text: string, data: GoValue) => string
}

type IntegerKind = 'int64' | 'int32' | 'int16' | 'int8' | 'uint' | 'uint64' | 'uint32' | 'uint16' | 'uint8'

export class Sized {
  readonly kind: IntegerKind
  readonly value: bigint

  constructor(kind: IntegerKind, value: bigint) {
    this.kind = kind
    this.value = value
  }
}

/** Wraps around as in Go. */
export const int64 = (value: bigint): Sized => new Sized('int64', BigInt.asIntN(64, value))

/** `map[string]interface {}`, or a named type, or another element type. */
export class GoMap extends Map<string, GoValue> {
  typeName = 'map[string]interface {}'
  /** Value of missing keys; null if the elements are interfaces. */
  zero: GoValue = null
  /** A nil map cannot be changed. */
  isNil = false
}

export const mapOf = (entries: Iterable<readonly [string, GoValue]>): GoMap => new GoMap(entries)

export const textMap = (entries: Iterable<readonly [string, string]>): GoMap =>
  Object.assign(new GoMap(entries), { typeName: 'map[string]string', zero: '' })

export class TypedList extends Array<GoValue> {
  elementType = 'interface {}'
  isNil = false

  /** Methods such as `map` return ordinary lists. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }
}

export const typedList = (elementType: string, items: readonly GoValue[]): TypedList =>
  Object.assign(TypedList.from(items) as TypedList, { elementType })

export const textList = (items: readonly string[]): TypedList => typedList('string', items)

/** A nil slice: an empty list that is `null` in JSON. */
export const nilList = (elementType = 'interface {}'): TypedList =>
  Object.assign(new TypedList(), { elementType, isNil: true })

/** A value with fields or methods: `.Capabilities`, `.Files`, a certificate, a version. */
export class Struct {
  /** The type as `%T` prints it; begins with `*` for a pointer. */
  readonly typeName: string
  readonly fields: GoMap
  readonly methods: ReadonlyMap<string, TemplateFunction>
  readonly under: GoMap | readonly GoValue[] | undefined
  /** Makes a value of the same type from another map. */
  readonly around: ((map: GoMap) => Struct) | undefined
  /** The result of Go's String method. */
  readonly text: string | undefined
  /** Fields for encoding/json, if they differ from `fields`. */
  readonly json: GoMap | undefined
  /** The value that functions get instead of this value: a pointer with methods of its own is passed as a struct. */
  readonly passed: Struct | undefined

  constructor(typeName: string, parts: StructParts) {
    this.typeName = typeName
    this.fields = parts.fields ?? new GoMap()
    this.methods = new Map(Object.entries(parts.methods ?? {}))
    this.under = parts.under
    this.around = parts.around
    this.text = parts.text
    this.json = parts.json
    this.passed = parts.passed
  }
}

type StructParts = {
  readonly fields?: GoMap
  readonly methods?: Readonly<Record<string, TemplateFunction>>
  readonly under?: GoMap | readonly GoValue[]
  readonly around?: (map: GoMap) => Struct
  readonly text?: string
  readonly json?: GoMap
  readonly passed?: Struct
}

export const isList = (value: GoValue): value is readonly GoValue[] => Array.isArray(value)

export const isMissing = (value: GoValue): value is null | undefined => value === null || value === undefined

/** A time as in Go's time.Time: nanoseconds since 1970 in UTC, and the zone for display. */
export class Instant {
  readonly nanoseconds: bigint
  readonly zone: string

  constructor(nanoseconds: bigint, zone = 'UTC') {
    this.nanoseconds = nanoseconds
    this.zone = zone
  }
}

export const instantOf = (date: Date, zone?: string): Instant => new Instant(BigInt(date.getTime()) * 1_000_000n, zone)
