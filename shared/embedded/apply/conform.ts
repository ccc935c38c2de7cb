// Refuses an apply configuration that does not fit its schema: undeclared fields, wrong types, repeated list items.
import { goText, isMap } from '../value.ts'
import { pathTexts } from './field-set.ts'
import { ElementError, type Indexed, indexed, type ListShape, type MapShape, shapeOf, type Typing } from './shape.ts'

/** Throws ElementError for the first value that does not fit. */
export const refuseMisfit = (value: unknown, typing: Typing, path = ''): void => {
  if (value === null || value === undefined) return
  const shape = shapeOf(typing, value)
  if (shape.is === 'scalar') refuseMistyped(value, typing, path)
  else if (shape.is === 'list') refuseInList(value, shape, path)
  else refuseInMap(value, shape, path)
}

const refuseInList = (value: unknown, shape: ListShape, path: string): void => {
  if (!Array.isArray(value)) throw misfit(path, `expected list, got ${goValue(value)}`)
  const { items, repeated } = shape.isAtomic ? numbered(value) : named(shape, value, path)
  for (const key of repeated) throw misfit(path, `duplicate entries for key ${keyText(key)}`)
  for (const [key, item] of items) refuseMisfit(item, shape.item, path + keyText(key))
}

const numbered = (list: unknown[]): Pick<Indexed, 'items' | 'repeated'> => ({
  items: new Map(list.map((item, index) => [`i:${index}`, item])),
  repeated: new Set(),
})

const named = (shape: ListShape, list: unknown[], path: string): Indexed => {
  try {
    return indexed(shape, list)
  } catch (error) {
    throw error instanceof ElementError ? misfit(path, error.message) : error
  }
}

const refuseInMap = (value: unknown, shape: MapShape, path: string): void => {
  if (!isMap(value)) throw misfit(path, `expected map, got ${goValue(value)}`)
  for (const [name, item] of Object.entries(value)) {
    if (!shape.isOpen && !shape.isDeclared(name)) throw misfit(`${path}.${name}`, 'field not declared in schema')
    refuseMisfit(item, shape.field(name), `${path}.${name}`)
  }
}

const keyText = (key: string): string => pathTexts({ members: new Set([key]), children: new Map() })[0] ?? key

const misfit = (path: string, why: string): ElementError => new ElementError(`${path}: ${why}`)

const got = (value: unknown, wantedType: string): string => {
  if (wantedType === 'number') return typeof value
  return wantedType === 'string' ? `&value.valueUnstructured{Value:${JSON.stringify(value)}}` : goValue(value)
}

const goValue = (value: unknown): string => `&{${goText(value)}}`

const wanted: Readonly<Record<string, { type: string; text: string }>> = {
  integer: { type: 'number', text: 'numeric (int or float)' },
  number: { type: 'number', text: 'numeric (int or float)' },
  string: { type: 'string', text: 'string' },
  boolean: { type: 'boolean', text: 'boolean' },
}

const refuseMistyped = (value: unknown, typing: Typing, path: string): void => {
  const type =
    typeof typing === 'string' || typing['x-kubernetes-int-or-string'] ? undefined : wanted[typing.type ?? '']
  if (type && typeof value !== type.type) throw misfit(path, `expected ${type.text}, got ${got(value, type.type)}`)
}
