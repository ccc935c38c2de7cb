// The fields of a kustomization and of its generators and transformers. A value must have the type of its field, and no field may be unknown.
// As in Go, the case of field names does not matter.
import { put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import type { FieldSpec } from '../fields/field-spec.ts'

const texts = { list: 'string' } as const
const textMap = { map: 'string' } as const
const gvk = { group: 'string', version: 'string', kind: 'string' } as const
const identity = { ...gvk, name: 'string', namespace: 'string' } as const

export const selector = { fields: { ...identity, labelSelector: 'string', annotationSelector: 'string' } } as const

/** Selects objects. Patches read each text as a regular expression, replacements compare it exactly. */
export type Selector = Shaped<typeof selector>

export const fieldSpec = { fields: { ...gvk, path: 'string', create: 'boolean' } } as const

export const patch = {
  fields: { path: 'string', patch: 'string', target: selector, options: { map: 'boolean' } },
} as const
export type Patch = Shaped<typeof patch>

export const image = {
  fields: { name: 'string', newName: 'string', newTag: 'string', tagSuffix: 'string', digest: 'string' },
} as const
export type Image = Shaped<typeof image>

export const replica = { fields: { name: 'string', count: 'integer' } } as const
export type Replica = Shaped<typeof replica>

export const label = {
  fields: { pairs: textMap, includeSelectors: 'boolean', includeTemplates: 'boolean', fields: { list: fieldSpec } },
} as const
export type Label = Omit<Shaped<typeof label>, 'fields'> & { readonly fields?: readonly FieldSpec[] }

export const generatorOptions = {
  fields: { labels: textMap, annotations: textMap, disableNameSuffixHash: 'boolean', immutable: 'boolean' },
} as const
export type GeneratorOptions = Shaped<typeof generatorOptions>

const generatorFields = {
  name: 'string',
  namespace: 'string',
  behavior: 'string',
  literals: texts,
  files: texts,
  envs: texts,
  env: 'string',
  options: generatorOptions,
} as const
export const configMapArgs = { fields: generatorFields } as const
export const secretArgs = { fields: { ...generatorFields, type: 'string' } } as const
export type GeneratorArgs = Shaped<typeof secretArgs>

const fieldOptions = {
  fields: { delimiter: 'string', index: 'integer', encoding: 'string', create: 'boolean' },
} as const
export type FieldOptions = Shaped<typeof fieldOptions>

const target = {
  fields: { select: selector, reject: { list: selector }, fieldPaths: texts, options: fieldOptions },
} as const
export type ReplacementTarget = Shaped<typeof target>

const replacementFields = {
  source: { fields: { ...identity, fieldPath: 'string', options: fieldOptions } },
  sourceValue: 'string',
  targets: { list: target },
} as const
export const replacement = { fields: replacementFields } as const
export type Replacement = Shaped<typeof replacement>

export const replacementField = { fields: { ...replacementFields, path: 'string' } } as const

export const variable = {
  fields: {
    name: 'string',
    objref: { fields: { apiVersion: 'string', ...identity } },
    fieldref: { fields: { fieldPath: 'string' } },
  },
} as const
export type Variable = Shaped<typeof variable>

export const sortOptions = {
  fields: { order: 'string', legacySortOptions: { fields: { orderFirst: texts, orderLast: texts } } },
} as const
export type SortOptions = Shaped<typeof sortOptions>

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
