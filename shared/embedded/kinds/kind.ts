// The properties of a kind: its path, its verbs and its schema in the form of OpenAPI. Custom kinds have the same type as built-in kinds.
// Schemas of built-in kinds have references and Go's tags; schemas of custom kinds have neither.
import type { KubeObject, ObjectMeta } from '../../core/objects/object.ts'
import type { FieldFault } from '../status.ts'
import { isMap, type JsonMap } from '../value.ts'

export type Subresource = { name: string; group: string; version: string; kind: string; verbs: string[] }

export type Kind = {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames?: string[]
  readonly categories?: string[]
  readonly namespaced: boolean
  readonly verbs: string[]
  readonly subresources: readonly Subresource[]
  readonly schema?: Schema
  /** All versions of a kind share a collection. */
  readonly collection: string
  readonly custom?: CustomTraits
  readonly show?: (stored: KubeObject) => KubeObject
  /** The reverse of `show`. */
  readonly hide?: (shown: KubeObject) => KubeObject
}

export type CustomTraits = {
  readonly definition: string
  /** Prunes unknown fields and sets defaults. `unknown` receives the paths of pruned fields. */
  readonly read: (value: JsonMap, metadata: ObjectMeta, unknown: string[]) => KubeObject
  /** Faults that the schema finds. `before` is the object before an update. */
  readonly faults: (object: KubeObject, subresource: string, before?: KubeObject) => FieldFault[]
  readonly scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string }
  readonly printerColumns: readonly PrinterColumn[]
  readonly selectableFields: readonly string[]
}

export type PrinterColumn = {
  name: string
  type: string
  format?: string
  description?: string
  priority?: number
  jsonPath: string
}

export const subresourceOf = (kind: Kind, name: string): Subresource | undefined =>
  kind.subresources.find(subresource => subresource.name === name)

export const hasStatus = (kind: Kind): boolean => subresourceOf(kind, 'status') !== undefined

export const storageKey = (kind: Kind, namespace: string, name: string): string =>
  kind.namespaced ? `${namespace}/${name}` : name

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
