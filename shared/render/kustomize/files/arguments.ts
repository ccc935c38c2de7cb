// Entries in the lists of a kustomization: arguments of generators and transformers, as types and as shapes. Plugins
// configured by a file use the same shapes.
import type { FieldSpec } from '../fields/field-spec.ts'
import type { GvkPattern } from '../objects/identity.ts'
import type { Shape } from './shape.ts'

/** Which objects. Each text is a regular expression for patches, and exact for replacements. */
export type Selector = GvkPattern & {
  readonly name?: string
  readonly namespace?: string
  readonly labelSelector?: string
  readonly annotationSelector?: string
}

export type Patch = {
  readonly path?: string
  readonly patch?: string
  readonly target?: Selector
  readonly options?: { readonly allowNameChange?: boolean; readonly allowKindChange?: boolean }
}

export type Image = {
  readonly name?: string
  readonly newName?: string
  readonly newTag?: string
  readonly tagSuffix?: string
  readonly digest?: string
}

export type Replica = { readonly name?: string; readonly count?: number }

export type Label = {
  readonly pairs?: Readonly<Record<string, string>>
  readonly includeSelectors?: boolean
  readonly includeTemplates?: boolean
  readonly fields?: readonly FieldSpec[]
}

export type GeneratorOptions = {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly disableNameSuffixHash?: boolean
  readonly immutable?: boolean
}

export type GeneratorArgs = {
  readonly name?: string
  readonly namespace?: string
  readonly behavior?: string
  readonly literals?: readonly string[]
  readonly files?: readonly string[]
  readonly envs?: readonly string[]
  readonly env?: string
  readonly options?: GeneratorOptions
  /** Only of Secrets. */
  readonly type?: string
}

export type FieldOptions = {
  readonly delimiter?: string
  readonly index?: number
  readonly create?: boolean
}

export type Replacement = {
  readonly source?: Selector & { readonly fieldPath?: string; readonly options?: FieldOptions }
  readonly sourceValue?: string
  readonly targets?: readonly ReplacementTarget[]
}

export type ReplacementTarget = {
  readonly select?: Selector
  readonly reject?: readonly Selector[]
  readonly fieldPaths?: readonly string[]
  readonly options?: FieldOptions
}

export type Variable = {
  readonly name?: string
  readonly objref?: Selector & { readonly apiVersion?: string }
  readonly fieldref?: { readonly fieldPath?: string }
}

export type SortOptions = {
  readonly order?: string
  readonly legacySortOptions?: { readonly orderFirst?: readonly string[]; readonly orderLast?: readonly string[] }
}

const texts: Shape = { list: 'string' }
const textMap: Shape = { map: 'string' }
const gvk = { group: 'string', version: 'string', kind: 'string' } as const
const identity = { ...gvk, name: 'string', namespace: 'string' } as const

export const selector: Shape = { fields: { ...identity, labelSelector: 'string', annotationSelector: 'string' } }
export const fieldSpec: Shape = { fields: { ...gvk, path: 'string', create: 'boolean' } }
export const patch: Shape = {
  fields: { path: 'string', patch: 'string', target: selector, options: { map: 'boolean' } },
}
export const image: Shape = {
  fields: { name: 'string', newName: 'string', newTag: 'string', tagSuffix: 'string', digest: 'string' },
}
export const replica: Shape = { fields: { name: 'string', count: 'integer' } }
export const label: Shape = {
  fields: {
    pairs: textMap,
    includeSelectors: 'boolean',
    includeTemplates: 'boolean',
    fields: { list: fieldSpec },
  },
}
export const generatorOptions: Shape = {
  fields: { labels: textMap, annotations: textMap, disableNameSuffixHash: 'boolean', immutable: 'boolean' },
}

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
export const configMapArgs: Shape = { fields: generatorFields }
export const secretArgs: Shape = { fields: { ...generatorFields, type: 'string' } }

const fieldOptions: Shape = {
  fields: { delimiter: 'string', index: 'integer', encoding: 'string', create: 'boolean' },
}
const replacementFields = {
  source: { fields: { ...identity, fieldPath: 'string', options: fieldOptions } },
  sourceValue: 'string',
  targets: {
    list: { fields: { select: selector, reject: { list: selector }, fieldPaths: texts, options: fieldOptions } },
  },
} as const
export const replacement: Shape = { fields: replacementFields }
export const replacementField: Shape = { fields: { ...replacementFields, path: 'string' } }

export const variable: Shape = {
  fields: {
    name: 'string',
    objref: { fields: { apiVersion: 'string', ...identity } },
    fieldref: { fields: { fieldPath: 'string' } },
  },
}
export const sortOptions: Shape = {
  fields: { order: 'string', legacySortOptions: { fields: { orderFirst: texts, orderLast: texts } } },
}
