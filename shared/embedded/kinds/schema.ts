// Schemas in the form of OpenAPI. Schemas of built-in kinds have references and Go's tags; schemas of custom kinds have neither.
import { isMap } from '../value.ts'

/** When Go writes a field. `pointer`: if it was given. `empty`: if it is not empty. `zero`: if it is no zero struct. `always`: always. */
export type GoTag = 'pointer' | 'empty' | 'zero' | 'always'

export type Schema = {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly nullable?: boolean
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly 'x-kubernetes-list-type'?: string
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: string
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
  readonly 'x-go'?: GoTag
  /** Number of the field in protobuf. `2.1` is field 1 of a message in field 2 that JSON shows inline. */
  readonly 'x-proto'?: string
}

export type ValidationRule = {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

/** Reads own properties only, so a field named `constructor` is unknown unless the schema declares it. */
export const propertyOf = (schema: Schema | undefined, key: string): Schema | undefined =>
  schema?.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined

export const memberOf = (schema: Schema | undefined, key: string): Schema | undefined =>
  propertyOf(schema, key) ?? (isMap(schema?.additionalProperties) ? (schema.additionalProperties as Schema) : undefined)
