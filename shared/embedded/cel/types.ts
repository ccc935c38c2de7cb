// What rules may say of values: each schema as a CEL type, objects as types with exactly the declared fields. What has no
// schema has no type, and no rule can name it.
import type { Environment } from '@marcbachmann/cel-js'
import type { Schema } from '../kinds/schema.ts'
import { canonicalJson, sameJson } from '../value.ts'
import { escaped, isWhole, withHead } from './values.ts'

const scalars: Readonly<Record<string, string>> = { boolean: 'bool', integer: 'int', number: 'double' }

const texts: Readonly<Record<string, string>> = {
  byte: 'bytes',
  date: 'google.protobuf.Timestamp',
  'date-time': 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
}

/** The types of objects begin so; the rest of their names means nothing. */
export const objectPrefix = 'SchemaObject'

/** Declares types in an environment, each once. */
export class SchemaTypes {
  readonly #environment: Environment
  readonly #known = new Map<Schema, string | undefined>()
  readonly #objects = new Map<string, string>()

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** The CEL type of a schema; undefined: rules cannot see such a value. */
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

  /** Objects with the same fields are one type: declaring one costs more the more there are. */
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
