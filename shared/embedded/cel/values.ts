// Converts JSON values and schemas to CEL: integers are bigint, times are Dates, and properties whose names are invalid in CEL are renamed.
// An object type has exactly the declared fields, so a rule cannot use a value without a schema.
import { type Environment, evaluate } from '@marcbachmann/cel-js'
import { memberOf, propertyOf, type Schema } from '../kinds/kind.ts'
import { canonicalJson, isMap, type JsonMap, put, sameJson } from '../value.ts'

const keywords = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const escaped = (name: string): string => {
  if (keywords.has(name)) return `__${name}__`
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
}

const text: Schema = { type: 'string' }

export const withHead = (schema: Schema): Schema => {
  const { metadata } = schema.properties ?? {}
  const names = { ...metadata?.properties, name: text, generateName: text }
  const head = { apiVersion: text, kind: text, metadata: { type: 'object', ...metadata, properties: names } }
  return { ...schema, type: 'object', properties: { ...schema.properties, ...head } }
}

export const isWhole = (schema: Schema | undefined): boolean => schema?.['x-kubernetes-embedded-resource'] === true

const formats: Readonly<Record<string, (text: string) => unknown>> = {
  byte: text => Uint8Array.from(Buffer.from(text, 'base64')),
  date: text => new Date(text),
  'date-time': text => new Date(text),
  duration: text => evaluate('duration(text)', { text }),
}

export const celValue = (value: unknown, schema: Schema | undefined): unknown => {
  if (Array.isArray(value)) return value.map(item => celValue(item, schema?.items))
  if (isMap(value)) return celFields(value, schema && isWhole(schema) ? withHead(schema) : schema)
  if (typeof value === 'number') return celNumber(value, schema)
  if (typeof value === 'string' && schema?.format) return formats[schema.format]?.(value) ?? value
  return value
}

const celNumber = (value: number, schema: Schema | undefined): bigint | number =>
  schema?.type !== 'number' && Number.isSafeInteger(value) ? BigInt(value) : value

const celFields = (fields: JsonMap, schema: Schema | undefined): JsonMap => {
  const isOpen = !schema?.properties || schema['x-kubernetes-preserve-unknown-fields'] === true
  const result: JsonMap = {}
  for (const [key, value] of Object.entries(fields)) {
    const isDeclared = propertyOf(schema, key) !== undefined
    if (isDeclared || isOpen) put(result, isDeclared ? escaped(key) : key, celValue(value, memberOf(schema, key)))
  }
  return result
}

const scalars: Readonly<Record<string, string>> = { boolean: 'bool', integer: 'int', number: 'double' }

const texts: Readonly<Record<string, string>> = {
  byte: 'bytes',
  date: 'google.protobuf.Timestamp',
  'date-time': 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
}

/** Prefix of the names of object types. The rest of the name is arbitrary. */
export const objectPrefix = 'SchemaObject'

export class SchemaTypes {
  readonly #environment: Environment
  readonly #known = new Map<Schema, string | undefined>()
  readonly #objects = new Map<string, string>()

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** undefined if rules cannot use values of this schema. */
  typeOf(schema: Schema, isRoot = isWhole(schema)): string | undefined {
    if (!this.#known.has(schema)) this.#known.set(schema, this.#made(schema, isRoot))
    return this.#known.get(schema)
  }

  #made(schema: Schema, isRoot: boolean): string | undefined {
    const { type = '', format = '', items } = schema
    if (schema['x-kubernetes-int-or-string'] === true) return 'dyn'
    if (isRoot) return this.#object(withHead(schema))
    if (type === 'string') return texts[format] ?? 'string'
    if (type === 'array') return items && this.#around(items, inner => `list<${inner}>`)
    return type === 'object' ? this.#fieldsOrMap(schema) : scalars[type]
  }

  #fieldsOrMap(schema: Schema): string | undefined {
    const rest = schema.additionalProperties
    return typeof rest === 'object' ? this.#around(rest, inner => `map<string, ${inner}>`) : this.#object(schema)
  }

  #around(schema: Schema, wrap: (inner: string) => string): string | undefined {
    const inner = this.typeOf(schema)
    return inner === undefined ? undefined : wrap(inner)
  }

  #object({ properties = {} }: Schema): string {
    const fields = Object.entries(properties).flatMap(([name, schema]) => {
      const type = this.typeOf(schema)
      return type === undefined ? [] : [[escaped(name), type]]
    })
    return this.#named(Object.fromEntries(fields))
  }

  /** Objects with the same fields share a type, because each registered type makes the next registration slower. */
  #named(fields: Record<string, string>): string {
    const key = canonicalJson(fields)
    const known = this.#objects.get(key)
    if (known !== undefined) return known
    const name = `${objectPrefix}${this.#objects.size}`
    this.#objects.set(key, name)
    this.#environment
      .registerType(name, { fields })
      .registerOperator(`${name} == ${name}`, sameJson)
      .registerOperator(`${name} == null`, () => false)
    return name
  }
}
