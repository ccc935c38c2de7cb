// The words in which our custom resources are described: structural OpenAPI schemas that carry the TypeScript type of the
// values they admit, so that a field is written once for the CRD and for the compiler. What fields there are is said by
// the folders beside this file.

/** The part of OpenAPI v3 that a CRD's structural schema may use, as far as we use it. */
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

/** `fieldPath` begins with a dot. */
type ValidationRule = { rule: string; message: string; fieldPath?: string }

declare const admitted: unique symbol

/** A schema that knows the type of what it admits; the mark exists for the compiler only. */
export type Schema<Value = unknown> = JsonSchema & { readonly [admitted]?: () => Value }

/** The TypeScript type of the values a schema admits. */
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

/** One of these words and no other. */
export const oneOf = <Word extends string>(...words: readonly Word[]): Schema<Word> => ({ type: 'string', enum: words })

/** A Go duration as Go prints it, without a sign. */
export const duration: Schema<string> = { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$' }

/** A Kubernetes quantity: a number, or a number with a suffix. */
export const quantity: Schema<number | string> = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
  'x-kubernetes-int-or-string': true,
}

/** Any object; its fields are kept as they came. */
export const raw: Schema<Record<string, unknown>> = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** An object: the fields it must have, then those it may have. */
export const object = <Required extends Fields, Optional extends Fields = Record<never, never>>(
  required: Required,
  optional?: Optional,
): Schema<ObjectOf<Required, Optional>> => ({
  type: 'object',
  properties: { ...required, ...optional },
  ...(Object.keys(required).length > 0 && { required: Object.keys(required) }),
})

/** An object all of whose fields may be absent. */
export const options = <Optional extends Fields>(
  optional: Optional,
): Schema<ObjectOf<Record<never, never>, Optional>> => object({}, optional)

export const list = <Item>(items: Schema<Item>): Schema<Item[]> => ({ type: 'array', items })

export const nonEmptyList = <Item>(items: Schema<Item>): Schema<Item[]> => ({ ...list(items), minItems: 1 })

/** An object whose keys are free and whose values are alike. */
export const mapOf = <Value>(values: Schema<Value>): Schema<Record<string, Value>> => ({
  type: 'object',
  additionalProperties: values,
})

/** A list whose items are told apart by these fields: no two are alike in them, and each item belongs to who wrote it. */
export const listMap = <Item>(items: Schema<Item>, ...keys: readonly (keyof Item & string)[]): Schema<Item[]> => ({
  ...list(items),
  'x-kubernetes-list-map-keys': keys,
  'x-kubernetes-list-type': 'map',
})

/** A list that belongs to one field manager as a whole. */
export const atomicList = <Item>(items: Schema<Item>): Schema<Item[]> => ({
  ...list(items),
  'x-kubernetes-list-type': 'atomic',
})

/** A Kubernetes object; its fields are kept as they came. */
export const embeddedObject: Schema<Record<string, unknown>> = { ...raw, 'x-kubernetes-embedded-resource': true }

/** An object that belongs to one field manager as a whole. */
export const atomic = <Value>(schema: Schema<Value>): Schema<Value> => ({
  ...schema,
  'x-kubernetes-map-type': 'atomic',
})

/** The same fields, these first and in this order: for texts in which the order counts. */
export const fieldsInOrder = <Value>(
  schema: Schema<Value>,
  ...first: readonly (keyof Value & string)[]
): Schema<Value> => {
  const { properties = {} } = schema
  const ordered = first.flatMap(field => (properties[field] ? [[field, properties[field]] as const] : []))
  return { ...schema, properties: { ...Object.fromEntries(ordered), ...properties } }
}

/** Selects objects by their labels, as Kubernetes does. */
export const labelSelector = atomic(
  options({
    matchLabels: mapOf(text),
    matchExpressions: list(object({ key: text, operator: text }, { values: list(text) })),
  }),
)

/** What the API server fills in for an absent field. The field stays optional for who writes it. */
export const defaulted = <Value>(schema: Schema<Value>, value: Value): Schema<Value> => ({ ...schema, default: value })

/** Refused with the message, at the field below if one is named, unless the CEL rule holds. */
export const held = <Value>(schema: Schema<Value>, ...rules: readonly ValidationRule[]): Schema<Value> => ({
  ...schema,
  'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), ...rules],
})

/** Exactly one of these fields is there. */
export const exactlyOne = <Value>(schema: Schema<Value>, ...fields: readonly (keyof Value & string)[]): Schema<Value> =>
  held(schema, {
    rule: `[${fields.map(field => `has(self.${field})`).join(', ')}].filter(given, given).size() == 1`,
    message: `exactly one of ${fields.join(', ')} must be given`,
  })

/** Once set, the value may not change; removing and adding it is not for a schema to refuse. */
export const immutable = <Value>(schema: Schema<Value>, message: string): Schema<Value> =>
  held(schema, { rule: 'self == oldSelf', message })

/** What `kubectl explain` says of it. */
export const about = <Value>(description: string, schema: Schema<Value>): Schema<Value> => ({ ...schema, description })
