// Finishes a build: removes the build's own annotations and adds the annotations and the label that buildMetadata asks for.
import { stringify } from 'yaml'
import { isMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { entrySetter, visitFields } from './fields/field-spec.ts'
import type { Origin, Resource } from './resource.ts'

const originKey = 'config.kubernetes.io/origin'
const transformationsKey = 'alpha.config.kubernetes.io/transformations'
const localKey = 'config.kubernetes.io/local-config'

const managedBy = 'kustomize-v5.7.1'

const bookkeeping = [
  ...[
    'previousKinds',
    'previousNames',
    'prefixes',
    'suffixes',
    'previousNamespaces',
    'allowNameChange',
    'allowKindChange',
    'refBy',
    'generatorBehavior',
    'needsHashSuffix',
    'path',
    'index',
    'seqindent',
    'id',
    'annotations-migration-resource-id',
  ].map(name => `internal.config.kubernetes.io/${name}`),
  'config.kubernetes.io/path',
  'config.kubernetes.io/index',
  'config.k8s.io/id',
  originKey,
  transformationsKey,
]

export const finished = (resources: readonly Resource[], buildMetadata: readonly string[]): KubeObject[] =>
  resources.filter(isForOthers).map(resource => {
    if (buildMetadata.includes('managedByLabel'))
      visitFields(
        resource.fields,
        { path: 'metadata/labels', create: true },
        entrySetter('app.kubernetes.io/managed-by', managedBy),
      )
    resource.setTexts('annotations', annotations(resource, buildMetadata))
    return withNulls(resource.fields) as KubeObject
  })

const isForOthers = (resource: Resource): boolean => (resource.texts('annotations')[localKey] ?? 'false') === 'false'

const annotations = (resource: Resource, buildMetadata: readonly string[]): Record<string, string> => {
  const { origin, transformations } = resource
  const texts = new Map(Object.entries(resource.texts('annotations')).filter(([key]) => !bookkeeping.includes(key)))
  if (origin && buildMetadata.includes('originAnnotations')) texts.set(originKey, textOf(origin))
  if (transformations.length > 0 && buildMetadata.includes('transformerAnnotations'))
    texts.set(transformationsKey, textOf(transformations))
  return Object.fromEntries([...texts].sort(([left], [right]) => (left < right ? -1 : 1)))
}

const textOf = (origins: Origin | readonly Origin[]): string => stringify(origins, { lineWidth: 0 })

/** A key without a value gets null. */
const withNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withNulls)
  if (isMap(value)) return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNulls(inner)]))
  return value ?? null
}
