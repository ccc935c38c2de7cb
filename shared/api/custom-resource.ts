// From the description of a kind to its CustomResourceDefinition.
import usualDescriptions from './descriptions.json' with { type: 'json' }
import type { JsonSchema } from './schema.ts'

/**
 * Sentences for fields whose schema has none, by the last names of the field's path: `limits.cpu` is for the `cpu` of every `limits`. Of
 * several that fit, the longest is taken. Only definitions have them, so that checks of values carry no texts.
 */
type Descriptions = Readonly<Record<string, string>>

type CustomResource = {
  group: string
  version: string
  kind: string
  plural: string
  shortNames?: readonly string[]
  /** Words by which `kubectl get` finds it among other kinds. */
  categories?: readonly string[]
  scope: 'Cluster' | 'Namespaced'
  description: string
  /** Fields that many kinds have, such as conditions and label selectors, have a sentence already. */
  descriptions?: Descriptions
  columns: readonly Column[]
  spec: JsonSchema
  /** An object may come without a spec. */
  isSpecOptional?: true
  /** Absent: the kind has no status. */
  status?: JsonSchema
  /** Names of versions that are served no more; objects may still be stored in them. */
  formerVersions?: readonly FormerVersion[]
}

/** What differs from the version of today is given. */
type FormerVersion = { name: string; spec: JsonSchema; status?: JsonSchema }

export type Column = { name: string; type: 'string' | 'date' | 'integer'; jsonPath: string; description: string }

export type CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1'
  kind: 'CustomResourceDefinition'
  metadata: { name: string }
  spec: Readonly<Record<string, unknown>>
}

export const conditionColumn = (name: string, condition: string, description: string): Column => ({
  name,
  type: 'string',
  jsonPath: `.status.conditions[?(@.type=="${condition}")].status`,
  description,
})

export const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'Time since the object was created.',
}

/** The definition to apply: one version served and stored, with a status subresource if it has a status. */
export const customResourceDefinition = (resource: CustomResource): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${resource.plural}.${resource.group}` },
  spec: {
    group: resource.group,
    names: {
      kind: resource.kind,
      listKind: `${resource.kind}List`,
      plural: resource.plural,
      singular: resource.kind.toLowerCase(),
      ...(resource.shortNames && { shortNames: resource.shortNames }),
      ...(resource.categories && { categories: resource.categories }),
    },
    scope: resource.scope,
    versions: [
      { name: resource.version, served: true, storage: true, ...versionOf(resource) },
      ...(resource.formerVersions ?? []).map(({ name, ...differing }) => ({
        name,
        served: false,
        storage: false,
        deprecated: true,
        ...versionOf({ ...resource, ...differing }),
      })),
    ],
  },
})

const versionOf = (resource: CustomResource) => ({
  ...(resource.status && { subresources: { status: {} } }),
  additionalPrinterColumns: resource.columns,
  schema: { openAPIV3Schema: rootSchema(resource) },
})

const rootSchema = ({ description, descriptions, spec, isSpecOptional, status }: CustomResource): JsonSchema => ({
  type: 'object',
  description,
  properties: {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    ...described({ spec, ...(status && { status }) }, { ...usualDescriptions, ...descriptions }),
  },
  ...(!isSpecOptional && { required: ['spec'] }),
})

type Properties = Readonly<Record<string, JsonSchema>>

const described = (fields: Properties, descriptions: Descriptions, above: readonly string[] = []): Properties =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const path = [...above, name]
      const description = field.description ?? descriptionOf(path, descriptions)
      return [name, { ...describedBelow(field, descriptions, path), ...(description && { description }) }]
    }),
  )

const describedBelow = (schema: JsonSchema, descriptions: Descriptions, path: readonly string[]): JsonSchema => {
  const { properties, items, additionalProperties } = schema
  return {
    ...schema,
    ...(properties && { properties: described(properties, descriptions, path) }),
    ...(items && { items: describedBelow(items, descriptions, path) }),
    ...(additionalProperties && { additionalProperties: describedBelow(additionalProperties, descriptions, path) }),
  }
}

const descriptionOf = (path: readonly string[], descriptions: Descriptions): string | undefined => {
  const known = path.map((_, at) => path.slice(at).join('.')).find(end => Object.hasOwn(descriptions, end))
  return known && descriptions[known]
}
