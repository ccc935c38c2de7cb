// Checks configuration files against a table of fields: each value has the type of its field, and no field is unknown. As in Go, the case of field
// names does not matter.
import { put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'

export type Shape =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'anything'
  | { readonly list: Shape }
  | { readonly map: Shape }
  | { readonly fields: Readonly<Record<string, Shape>>; readonly isOpen?: true }

export type Shaped<S> = S extends 'string'
  ? string
  : S extends 'boolean'
    ? boolean
    : S extends 'integer'
      ? number
      : S extends { readonly list: infer Item }
        ? readonly Shaped<Item>[]
        : S extends { readonly map: infer Value }
          ? Readonly<Record<string, Shaped<Value>>>
          : S extends { readonly fields: infer Fields }
            ? { readonly [Name in keyof Fields]?: Shaped<Fields[Name]> }
            : unknown

/** The same shape, except that unknown fields are ignored at any depth. */
export const opened = (shape: Shape): Shape => {
  if (typeof shape === 'string') return shape
  if ('list' in shape) return { list: opened(shape.list) }
  if ('map' in shape) return { map: opened(shape.map) }
  const fields = Object.entries(shape.fields).map(([name, field]) => [name, opened(field)] as const)
  return { fields: Object.fromEntries(fields), isOpen: true }
}

/** The value without nulls, with field names spelled as in the shape. Throws a RenderError with the name of the wrong field. */
export const shaped = (value: unknown, shape: Shape, at: string): unknown => {
  if (value === null || value === undefined) return undefined
  if (shape === 'anything') return value
  if (typeof shape === 'string') return scalar(value, shape, at)
  if ('list' in shape) return listOf(value, shape.list, at)
  if (!isMap(value)) throw unfit(at, 'a map')
  return 'map' in shape ? mapOf(value, shape.map, at) : fieldsOf(value, shape.fields, shape.isOpen === true, at)
}

const scalar = (value: unknown, type: 'string' | 'boolean' | 'integer', at: string): unknown => {
  const fits = type === 'integer' ? Number.isSafeInteger(value) : typeof value === type
  if (!fits) throw unfit(at, type === 'integer' ? 'an integer' : `a ${type}`)
  return value
}

const listOf = (value: unknown, shape: Shape, at: string): unknown[] => {
  if (!Array.isArray(value)) throw unfit(at, 'a list')
  return value.map((item, index) => shaped(item, shape, `${at}[${index}]`) ?? zero(shape))
}

/** The zero value of the shape. As in Go, a null in a list becomes the zero value. */
export const zero = (shape: Shape | undefined): unknown =>
  shape === 'string' ? '' : shape && typeof shape === 'object' && !('list' in shape) ? {} : shape && []

const mapOf = (value: JsonMap, shape: Shape, at: string): JsonMap =>
  Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, shaped(item, shape, `${at}.${key}`) ?? zero(shape)]),
  )

const fieldsOf = (value: JsonMap, fields: Readonly<Record<string, Shape>>, isOpen: boolean, at: string): JsonMap => {
  const result: JsonMap = {}
  for (const [key, item] of Object.entries(value)) {
    const name = Object.hasOwn(fields, key) ? key : spelled(key, fields)
    const shape = name === undefined ? undefined : fields[name]
    if (name === undefined || shape === undefined) {
      if (isOpen) continue
      throw new RenderError(`${at}: unknown field "${key}"`)
    }
    const fit = shaped(item, shape, at === '' ? name : `${at}.${name}`)
    if (fit !== undefined) put(result, name, fit)
  }
  return result
}

const spelled = (key: string, fields: Readonly<Record<string, Shape>>): string | undefined =>
  Object.keys(fields).find(name => name.toLowerCase() === key.toLowerCase())

const unfit = (at: string, expected: string): RenderError => new RenderError(`${at} must be ${expected}`)
