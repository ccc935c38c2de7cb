// Arguments of generators and transformers, as shapes and the types of the shapes. Kustomizations have lists of arguments, plugins have
// files.
import type { FieldSpec } from '../fields/field-spec.ts'
import type { Shaped } from './shape.ts'

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
