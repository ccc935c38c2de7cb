// All field specs of a kustomization: the defaults, the specs of its bases, of its own configurations, and of the definitions that `crds` lists.
import { own } from '../../../core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { readYamlNoting, YamlError } from '../../../core/yaml/read.ts'
import { fieldSpec, type Shape, shaped } from '../files/arguments.ts'
import { type Folder, fromFile } from '../files/folder.ts'
import { parsed } from '../files/kustomization.ts'
import { compareKinds } from '../resources.ts'
import * as defaults from './default-fields.ts'
import { type NameReference, nameReferences } from './default-fields.ts'
import { type FieldSpec, mergedSpecs } from './field-spec.ts'

const specLists = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'commonLabels',
  'labels',
  'templateLabels',
  'commonAnnotations',
  'varReference',
  'images',
  'replicas',
] as const

type SpecList = (typeof specLists)[number]

export type FieldConfig = Readonly<Record<SpecList, readonly FieldSpec[]>> & {
  readonly nameReference: readonly NameReference[]
}

function eachList(specs: (list: SpecList) => readonly FieldSpec[]): Omit<FieldConfig, 'nameReference'> {
  return Object.fromEntries(specLists.map(list => [list, specs(list)])) as Omit<FieldConfig, 'nameReference'>
}

export const noFields: FieldConfig = { ...eachList(() => []), nameReference: [] }

const shape: Shape = {
  fields: {
    ...Object.fromEntries(specLists.map(list => [list, { list: fieldSpec }])),
    nameReference: {
      list: { fields: { group: 'string', version: 'string', kind: 'string', fieldSpecs: { list: fieldSpec } } },
    },
  },
}

/** Configurations are sorted before they are added: a spec of one kind then precedes a spec of all kinds, which counts as a duplicate. */
export const fieldConfig = (
  folder: Folder,
  inherited: FieldConfig,
  { configurations, crds }: { configurations: readonly string[]; crds: readonly string[] },
): FieldConfig => {
  const own = configurations
    .map(path => fromFile({ folder, path }, text => configuration(text, path)))
    .reduce(mergedConfig, noFields)
  const known = configurations.length === 0 ? defaultFields : mergedConfig(defaultFields, own)
  const defined = crds
    .map(path => fromFile({ folder, path }, text => fromDefinitions(parsed(text, path))))
    .reduce(mergedConfig, noFields)
  return [known, defined].reduce(mergedConfig, inherited)
}

const configuration = (text: string, path: string): FieldConfig =>
  inOrder({
    ...noFields,
    ...(shaped(parsed(text, path, readStrictly), shape, path) as Partial<FieldConfig> | undefined),
  })

/** These files may not contain a key twice. kustomize reads all other files less strictly. */
const readStrictly = (text: string): unknown =>
  readYamlNoting((_key, lineOf) => {
    throw new YamlError('a key occurs twice', lineOf())
  }, text)

export const mergedConfig = (left: FieldConfig, right: FieldConfig): FieldConfig => {
  const nameReference = right.nameReference.reduce(withReference, left.nameReference)
  return inOrder({ ...eachList(list => mergedSpecs(left[list], right[list])), nameReference })
}

const inOrder = (config: FieldConfig): FieldConfig => ({
  ...eachList(list => config[list].toSorted(compareKinds)),
  nameReference: config.nameReference.toSorted(compareKinds),
})

const defaultFields = inOrder({
  ...defaults,
  namePrefix: defaults.names,
  nameSuffix: defaults.names,
  labels: [],
  nameReference: nameReferences,
})

const withReference = (references: readonly NameReference[], added: NameReference): readonly NameReference[] => {
  const isSame = (one: NameReference): boolean =>
    (['group', 'version', 'kind'] as const).every(part => (one[part] ?? '') === (added[part] ?? ''))
  if (!references.some(isSame)) return [...references, added]
  return references.map(one =>
    isSame(one) ? { ...one, fieldSpecs: mergedSpecs(one.fieldSpecs, added.fieldSpecs ?? []) } : one,
  )
}

/** Reads OpenAPI definitions by name. Extensions of fields define which fields transformers change. */
const fromDefinitions = (definitions: unknown): FieldConfig =>
  Object.entries(mapOrEmpty(definitions))
    .filter(([, definition]) => isKind(propertiesOf(definition)))
    .map(([name]) => ofDefinition(definitions as JsonMap, name, { kind: name.split('.').at(-1) ?? '' }, []))
    .reduce(mergedConfig, noFields)

const isKind = (properties: JsonMap): boolean =>
  ['kind', 'apiVersion', 'metadata'].every(name => Object.hasOwn(properties, name))

const propertiesOf = (definition: unknown): JsonMap => {
  const schema = isMap(definition) ? (own(definition, 'Schema') ?? own(definition, 'schema')) : undefined
  return mapOrEmpty(mapOrEmpty(schema).properties)
}

const ofDefinition = (
  definitions: JsonMap,
  name: string,
  pattern: { kind: string },
  path: readonly string[],
): FieldConfig =>
  Object.entries(propertiesOf(own(definitions, name)))
    .filter((entry): entry is [string, JsonMap] => isMap(entry[1]))
    .flatMap(([field, property]) => [
      ofProperty(property, pattern, [...path, field]),
      ...(typeof property.$ref === 'string' && path.length < 20
        ? [ofDefinition(definitions, property.$ref, pattern, [...path, field])]
        : []),
    ])
    .reduce(mergedConfig, noFields)

const ofProperty = (property: JsonMap, pattern: { kind: string }, path: readonly string[]): FieldConfig => {
  const has = (extension: string): boolean => typeof property[`x-kubernetes-${extension}`] === 'string'
  const text = (extension: string): string => String(property[`x-kubernetes-${extension}`])
  const spec = (...more: string[]): FieldSpec[] => [{ ...pattern, path: [...path, ...more].join('/') }]
  const refers = has('object-ref-api-version') && has('object-ref-kind')
  const nameKey = has('object-ref-name-key') ? text('object-ref-name-key') : 'name'
  return {
    ...noFields,
    commonAnnotations: has('annotation') ? spec() : [],
    commonLabels: has('label-selector') ? spec() : [],
    namePrefix: has('identity') ? spec() : [],
    nameReference: refers
      ? [{ kind: text('object-ref-kind'), version: text('object-ref-api-version'), fieldSpecs: spec(nameKey) }]
      : [],
  }
}
