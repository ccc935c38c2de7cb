// Builders for structural OpenAPI schemas of our custom resources. A schema has the TypeScript type of its values, so each field is written
// once for CRD and compiler. The folders beside this file define the fields.

/** The parts of OpenAPI v3 structural schemas that we use. */
export type JsonSchema = {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  description?: string
  format?: 'int32' | 'int64' | 'date-time' | 'uri'
  default?: unknown
  enum?: readonly string[]
  pattern?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  items?: JsonSchema
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  additionalProperties?: JsonSchema
  anyOf?: readonly JsonSchema[]
  'x-kubernetes-int-or-string'?: true
  'x-kubernetes-preserve-unknown-fields'?: true
  nullable?: true
  'x-kubernetes-embedded-resource'?: true
  'x-kubernetes-list-map-keys'?: readonly string[]
  'x-kubernetes-list-type'?: 'map' | 'atomic'
  'x-kubernetes-map-type'?: 'atomic'
  'x-kubernetes-validations'?: readonly ValidationRule[]
}

/** `fieldPath` starts with a dot. */
type ValidationRule = { rule: string; message: string; fieldPath?: string }

declare const admitted: unique symbol

/** A schema with the type of its values. The field `admitted` exists only for the compiler. */
export type Schema<Value = unknown> = JsonSchema & { readonly [admitted]?: () => Value }

/** The type of a schema's values. */
export type Typed<S> = S extends { readonly [admitted]?: () => infer Value } ? Value : never

type Fields = Readonly<Record<string, Schema>>
type Flat<T> = { [Field in keyof T]: T[Field] } & {}
type ObjectOf<Required extends Fields, Optional extends Fields> = Flat<
  { [Field in keyof Required]: Typed<Required[Field]> } & { [Field in keyof Optional]?: Typed<Optional[Field]> }
>

export const text: Schema<string> = { type: 'string' }
export const nonEmptyText: Schema<string> = { type: 'string', minLength: 1 }
export const flag: Schema<boolean> = { type: 'boolean' }
export const int32: Schema<number> = { type: 'integer', format: 'int32' }
export const int64: Schema<number> = { type: 'integer', format: 'int64' }
export const number: Schema<number> = { type: 'number' }
export const time: Schema<string> = { type: 'string', format: 'date-time' }

/**
 * Exactly one of these words.
 *
 *   const spec = object({ mode: oneOf('fast', 'safe') })
 */
export const oneOf = <Word extends string>(...words: readonly Word[]): Schema<Word> => ({ type: 'string', enum: words })

/** A Go duration without a sign. */
export const duration: Schema<string> = { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$' }

export const quantity: Schema<number | string> = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  'x-kubernetes-int-or-string': true,
}

/** Any object. Its fields are kept unchanged. */
export const raw: Schema<Record<string, unknown>> = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/**
 * An object with required and optional fields.
 *
 *   const spec = object({ title: text }, { replicas: int32 })
 *   const given: Typed<typeof spec> = { title: 'Books' }
 */
export const object = <Required extends Fields, Optional extends Fields = Record<never, never>>(
  required: Required,
  optional?: Optional,
): Schema<ObjectOf<Required, Optional>> => ({
  type: 'object',
  properties: { ...required, ...optional },
  ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
})

/**
 * An object with optional fields only.
 *
 *   const spec = options({ title: text, replicas: int32 })
 */
export const options = <Optional extends Fields>(
  optional: Optional,
): Schema<ObjectOf<Record<never, never>, Optional>> => object({}, optional)

/**
 * A list. A write replaces the whole list; see `listMap` for another merge.
 *
 *   const spec = object({ hosts: list(text) })
 */
export const list = <Item>(items: Schema<Item>): Schema<Item[]> => ({ type: 'array', items })

/**
 * A list with at least one item.
 *
 *   const spec = object({ hosts: nonEmptyList(text) })
 */
export const nonEmptyList = <Item>(items: Schema<Item>): Schema<Item[]> => ({ ...list(items), minItems: 1 })

/**
 * An object with arbitrary keys.
 *
 *   const spec = object({ labels: mapOf(text) })
 */
export const mapOf = <Value>(values: Schema<Value>): Schema<Record<string, Value>> => ({
  type: 'object',
  additionalProperties: values,
})

/**
 * A list with unique keys. Each item has its own field manager.
 *
 *   const spec = object({ ports: listMap(object({ name: text, port: int32 }), 'name') })
 */
export const listMap = <Item>(items: Schema<Item>, ...keys: readonly (keyof Item & string)[]): Schema<Item[]> => ({
  ...list(items),
  'x-kubernetes-list-map-keys': keys,
  'x-kubernetes-list-type': 'map',
})

/**
 * A list with one field manager for the whole list.
 *
 *   const spec = object({ hosts: atomicList(text) })
 */
export const atomicList = <Item>(items: Schema<Item>): Schema<Item[]> => ({
  ...list(items),
  'x-kubernetes-list-type': 'atomic',
})

/** A Kubernetes object. Its fields are kept unchanged. */
export const embeddedObject: Schema<Record<string, unknown>> = { ...raw, 'x-kubernetes-embedded-resource': true }

/**
 * An object with one field manager for the whole object.
 *
 *   const spec = object({ selector: atomic(mapOf(text)) })
 */
export const atomic = <Value>(schema: Schema<Value>): Schema<Value> => ({
  ...schema,
  'x-kubernetes-map-type': 'atomic',
})

/**
 * Moves these fields to the front, for texts in which the order of fields counts.
 *
 *   const spec = fieldsInOrder(object({ title: text, replicas: int32 }), 'replicas')
 *   Object.keys(spec.properties ?? {}) // ['replicas', 'title']
 */
export const fieldsInOrder = <Value>(
  schema: Schema<Value>,
  ...first: readonly (keyof Value & string)[]
): Schema<Value> => {
  const { properties = {} } = schema
  const ordered = first.flatMap(field => (properties[field] ? [[field, properties[field]] as const] : []))
  return { ...schema, properties: { ...Object.fromEntries(ordered), ...properties } }
}

export const labelSelector = atomic(
  options({
    matchLabels: mapOf(text),
    matchExpressions: list(object({ key: text, operator: text }, { values: list(text) })),
  }),
)

/**
 * The API server sets the default for an absent field. The field stays optional for writers.
 *
 *   const spec = options({ replicas: defaulted(int32, 1) })
 */
export const defaulted = <Value>(schema: Schema<Value>, value: Value): Schema<Value> => ({ ...schema, default: value })

/**
 * Adds CEL rules. If a value violates a rule, the API server refuses it with the rule's message.
 *
 *   const spec = held(object({ least: int32, most: int32 }), { rule: 'self.least <= self.most', message: 'least is above most' })
 */
export const held = <Value>(schema: Schema<Value>, ...rules: readonly ValidationRule[]): Schema<Value> => ({
  ...schema,
  'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), ...rules],
})

/**
 * Requires exactly one of these fields.
 *
 *   const source = exactlyOne(options({ url: text, folder: text }), 'url', 'folder')
 */
export const exactlyOne = <Value>(schema: Schema<Value>, ...fields: readonly (keyof Value & string)[]): Schema<Value> =>
  held(schema, {
    rule: `[${fields.map(field => `has(self.${field})`).join(', ')}].filter(given, given).size() == 1`,
    message: `exactly one of ${fields.join(', ')} must be given`,
  })

/**
 * Refuses changes of a set value. A schema cannot refuse to remove a field and add it again.
 *
 *   const spec = object({ size: immutable(quantity, 'the size cannot be changed') })
 */
export const immutable = <Value>(schema: Schema<Value>, message: string): Schema<Value> =>
  held(schema, { rule: 'self == oldSelf', message })

/**
 * Adds a description for `kubectl explain`.
 *
 *   const spec = object({ title: about('What people read on top of the page.', text) })
 */
export const about = <Value>(description: string, schema: Schema<Value>): Schema<Value> => ({ ...schema, description })
