// The values that templates compute with, and how Go's kinds are told apart in JavaScript:
//
//   number    float64, as every number from YAML and JSON is      bigint   int, as literals and `len` are
//   Sized     the other integers: int64, int32, uint8, …          string   bytes, see bytes.ts
//   GoMap     maps with string keys; never a plain object, so that `__proto__` is a key like any other
//   array     []interface {}; a TypedList knows another element type, or that it is nil
//   Instant   time.Time                                           Struct   what has named fields or methods
//   null      a nil that an interface holds                       undefined   no value at all: reflect's invalid Value
import type { Budget } from '../run/budget.ts'
import type { Environment } from '../run/environment.ts'
import type { Instant } from './instant.ts'

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

/** The types of parameters, by Go's words for them. */
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

/** A row of a table of functions. */
export type TemplateFunction = {
  readonly parameters: readonly ParameterType[]
  /** The type of any number of further arguments. */
  readonly rest: ParameterType | undefined
  /** Called with arguments that fit; throws a Failure. */
  readonly call: (call: Call, args: readonly GoValue[]) => GoValue
}

/** One call of a function: what it may reach besides its arguments. */
export type Call = {
  readonly environment: Environment
  readonly budget: Budget
  readonly draw: (bytes: number) => Uint8Array
  /** `include`: a named template's output. */
  readonly include: (name: string, data: GoValue) => string
  /** `tpl`: the output of a text that sees all templates of the set, and may define its own. */
  readonly render: (text: string, data: GoValue) => string
}

type IntegerKind = 'int64' | 'int32' | 'int16' | 'int8' | 'uint' | 'uint64' | 'uint32' | 'uint16' | 'uint8'

/** An integer of another kind than `int`. */
export class Sized {
  readonly kind: IntegerKind
  readonly value: bigint

  constructor(kind: IntegerKind, value: bigint) {
    this.kind = kind
    this.value = value
  }
}

/** `int64`, wrapped around as Go wraps it. */
export const int64 = (value: bigint): Sized => new Sized('int64', BigInt.asIntN(64, value))

/** `map[string]interface {}`, or a named type or another element type. */
export class GoMap extends Map<string, GoValue> {
  typeName = 'map[string]interface {}'
  /** What a missing key gives; null for interfaces. */
  zero: GoValue = null
  /** A nil map, which nothing can be set in. */
  isNil = false
}

export const mapOf = (entries: Iterable<readonly [string, GoValue]>): GoMap => new GoMap(entries)

/** `map[string]string`. */
export const textMap = (entries: Iterable<readonly [string, string]>): GoMap =>
  Object.assign(new GoMap(entries), { typeName: 'map[string]string', zero: '' })

/** A list of another element type than interface {}. */
export class TypedList extends Array<GoValue> {
  elementType = 'interface {}'
  isNil = false

  /** What is derived from a typed list is an ordinary list. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }
}

export const typedList = (elementType: string, items: readonly GoValue[]): TypedList =>
  Object.assign(TypedList.from(items) as TypedList, { elementType })

/** `[]string`. */
export const textList = (items: readonly string[]): TypedList => typedList('string', items)

/** A nil slice, which is an empty list, but `null` in JSON. */
export const nilList = (elementType = 'interface {}'): TypedList =>
  Object.assign(new TypedList(), { elementType, isNil: true })

/** What has fields or methods: `.Capabilities`, `.Files`, a certificate, a version. */
export class Struct {
  /** As `%T` prints it; begins with `*` for a pointer. */
  readonly typeName: string
  readonly fields: GoMap
  readonly methods: ReadonlyMap<string, TemplateFunction>
  /** A map or list that it also is, as Go's named types are. */
  readonly under: GoMap | readonly GoValue[] | undefined
  /** Another of its type, around another map. */
  readonly around: ((map: GoMap) => Struct) | undefined
  /** What its String method answers. */
  readonly text: string | undefined
  /** What encoding/json makes of it; its fields where it is not said. */
  readonly json: GoMap | undefined
  /** What a function gets of it, where that is without the methods which only a pointer to it has. */
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
