// The shape of a value in a structured merge: a scalar, a list or a map, either as one unit or as parts. The schema decides; without a
// schema, the value decides. List items are identified by key fields, or in sets by their value.
import { remembered } from '../../core/memory/remembered.ts'
import { definition, objectMetaName } from '../kinds/builtin.ts'
import type { Kind, Schema } from '../kinds/kind.ts'
import { canonicalJson, isMap, own } from '../value.ts'

export type Shape =
  | { readonly is: 'scalar' }
  | { readonly is: 'list'; readonly isAtomic: boolean; readonly keys?: readonly KeyField[]; readonly item: Typing }
  | {
      readonly is: 'map'
      readonly isAtomic: boolean
      readonly isOpen: boolean
      field(name: string): Typing
      isDeclared(name: string): boolean
    }

export type ListShape = Extract<Shape, { is: 'list' }>
export type MapShape = Extract<Shape, { is: 'map' }>

type KeyField = { readonly name: string; readonly absent?: unknown }

/** Without a schema, the value decides: `deduced` splits maps into fields, `whole` does not split values. */
export type Typing = Schema | 'deduced' | 'whole'

const scalar: Shape = { is: 'scalar' }
const deducedMap: Shape = { is: 'map', isAtomic: false, isOpen: true, field: () => 'deduced', isDeclared: () => false }
const wholeMap: Shape = { is: 'map', isAtomic: true, isOpen: true, field: () => 'whole', isDeclared: () => false }
const wholeList: Shape = { is: 'list', isAtomic: true, item: 'whole' }

const byValue = (value: unknown, map: Shape): Shape => {
  if (Array.isArray(value)) return wholeList
  return isMap(value) ? map : scalar
}

export const shapeOf = (typing: Typing, value: unknown): Shape => {
  if (typing === 'deduced') return byValue(value, deducedMap)
  if (typing === 'whole') return byValue(value, wholeMap)
  const schema = typing.$ref ? definition(typing.$ref) : typing
  if (isUntyped(schema)) return byValue(value, schema['x-kubernetes-preserve-unknown-fields'] ? deducedMap : wholeMap)
  return schemaShape(schema)
}

const isUntyped = (schema: Schema): boolean => !schema.type && !schema.properties && !schema.items && !schema.oneOf

const schemaShape = remembered((schema: Schema): Shape => {
  if (schema.type === 'array' || schema.items) return listShape(schema)
  return schema.type === 'object' || schema.properties ? mapShape(schema) : scalar
})

const listShape = (schema: Schema): Shape => {
  const type = schema['x-kubernetes-list-type'] ?? 'atomic'
  const item = schema.items ?? 'whole'
  if (type === 'atomic') return { is: 'list', isAtomic: true, item }
  if (type === 'set') return { is: 'list', isAtomic: false, item }
  const target = schema.items?.$ref ? definition(schema.items.$ref) : schema.items
  const keys = (schema['x-kubernetes-list-map-keys'] ?? []).map(name => ({
    name,
    absent: target?.properties?.[name]?.default,
  }))
  return { is: 'list', isAtomic: false, keys, item }
}

const mapShape = (schema: Schema): Shape => {
  const { properties = {}, additionalProperties } = schema
  const isDeclared = (name: string) => Object.hasOwn(properties, name)
  const rest = restTyping(schema, additionalProperties)
  const isAtomic = schema['x-kubernetes-map-type'] === 'atomic'
  const isOpen =
    schema.properties === undefined ||
    additionalProperties !== undefined ||
    schema['x-kubernetes-preserve-unknown-fields'] === true
  return {
    is: 'map',
    isAtomic,
    isOpen,
    isDeclared,
    field: name => (isDeclared(name) ? (properties[name] ?? rest) : rest),
  }
}

const restTyping = (schema: Schema, additional: Schema | boolean | undefined): Typing => {
  if (isMap(additional)) return additional as Schema
  return schema['x-kubernetes-preserve-unknown-fields'] ? 'deduced' : 'whole'
}

export const rootTyping = remembered(
  ({ custom, schema }: Kind): Typing => (custom ? customRoot(schema ?? {}) : (schema ?? 'deduced')),
)

const text: Schema = { type: 'string' }

const customRoot = (schema: Schema): Schema => ({
  ...schema,
  type: 'object',
  properties: { ...schema.properties, apiVersion: text, kind: text, metadata: { $ref: objectMetaName } },
})

/** A list with items of equal keys, or a value that does not fit the schema. The client sees the message. */
export class ElementError extends Error {}

export const elementKey = (shape: ListShape, item: unknown, index: number): string => {
  if (shape.isAtomic) return `i:${index}`
  if (!shape.keys) return setKey(item, index)
  if (item === null) throw new ElementError(`element ${index}: associative list with keys may not have a null element`)
  if (!isMap(item)) throw new ElementError(`element ${index}: associative list with keys may not have non-map elements`)
  const keys: Record<string, unknown> = {}
  for (const { name, absent } of shape.keys) {
    const value = own(item, name) ?? absent
    if (value !== undefined) keys[name] = value
  }
  if (Object.keys(keys).length === 0) {
    const names = shape.keys.map(({ name }) => JSON.stringify(name)).join(' ')
    throw new ElementError(
      `element ${index}: associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    )
  }
  return `k:${canonicalJson(keys)}`
}

const setKey = (item: unknown, index: number): string => {
  if (isMap(item))
    throw new ElementError(`element ${index}: associative list without keys has an element that's a map type`)
  if (Array.isArray(item))
    throw new ElementError(`element ${index}: not supported: associative list with lists as elements`)
  if (item === null)
    throw new ElementError(`element ${index}: associative list without keys has an element that's an explicit null`)
  return `v:${JSON.stringify(item)}`
}

export type Indexed = {
  readonly order: readonly string[]
  readonly items: ReadonlyMap<string, unknown>
  readonly repeated: ReadonlySet<string>
}

export const indexed = (shape: ListShape, list: readonly unknown[]): Indexed => {
  const items = new Map<string, unknown>()
  const repeated = new Set<string>()
  const order: string[] = []
  for (const [index, item] of list.entries()) {
    const key = elementKey(shape, item, index)
    order.push(key)
    if (items.has(key)) repeated.add(key)
    else items.set(key, item)
  }
  return { order, items, repeated }
}
