// Makes the CustomResourceDefinition of a kind from its description.
import usualDescriptions from './descriptions.json' with { type: 'json' }
import type { JsonSchema } from './schema.ts'

/**
 * Sentences for fields without a description in their schema, by the end of the field's path: `limits.cpu` matches the `cpu` of each
 * `limits`. The longest match counts. The sentences are added only to CustomResourceDefinitions, so that schemas for checks stay small.
 */
type Descriptions = Readonly<Record<string, string>>

type CustomResource = {
  group: string
  version: string
  kind: string
  plural: string
  shortNames?: readonly string[]
  /** Categories of `kubectl get`. */
  categories?: readonly string[]
  scope: 'Cluster' | 'Namespaced'
  description: string
  /** Descriptions of fields. Common fields, such as conditions and label selectors, already have a description. */
  descriptions?: Descriptions
  columns: readonly Column[]
  spec: JsonSchema
  isSpecOptional?: true
  status?: JsonSchema
  /** Versions that are no longer served, but in which objects may still be stored. */
  formerVersions?: readonly FormerVersion[]
}

/** The schemas that differ from the current version. */
type FormerVersion = { name: string; spec: JsonSchema; status?: JsonSchema }

export type Column = { name: string; type: 'string' | 'date' | 'integer'; jsonPath: string; description: string }

export type CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1'
  kind: 'CustomResourceDefinition'
  metadata: { name: string }
  spec: Readonly<Record<string, unknown>>
}

/**
 * A column of `kubectl get` with the status of a condition.
 *
 *   conditionColumn('Ready', 'Ready', 'Whether it works.').type // 'string'
 */
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

/**
 * One version is served and stored, with a status subresource if the kind has a status.
 *
 *   const definition = customResourceDefinition({
 *     group: 'example.org',
 *     version: 'v1',
 *     kind: 'Shop',
 *     plural: 'shops',
 *     scope: 'Namespaced',
 *     description: 'A shop.',
 *     columns: [ageColumn],
 *     spec: object({ title: text }),
 *   })
 *   definition.metadata.name // 'shops.example.org'
 */
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
