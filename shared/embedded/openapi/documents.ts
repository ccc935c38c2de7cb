// The OpenAPI documents. Version 3 has one document per group and version, made on request, and an index with hashes of the documents.
import { createHash } from 'node:crypto'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import { keptOrMade } from '../../core/memory/remembered.ts'
import { version } from '../discovery.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { isMap, type JsonMap } from '../value.ts'
import { pathsOf } from './paths.ts'
import { componentSchemas } from './schemas.ts'

export const openapiRoot = '/openapi/v3'

const pathOf = ({ group, version }: Kind): string => (group ? `apis/${group}/${version}` : `api/${version}`)

/** The hash of a document. Documents depend only on the kinds. */
const hashOf = (kinds: readonly Kind[]): string => {
  const hash = createHash('sha512').update(version.gitVersion)
  for (const kind of kinds) hash.update(JSON.stringify(kind))
  return hash.digest('hex').toUpperCase()
}

const indexes = new WeakMap<Registry, { version: number; groups: Map<string, Kind[]>; hashes: Map<string, string> }>()

const indexed = (registry: Registry) => {
  const known = indexes.get(registry)
  if (known?.version === registry.version) return known
  const groups = Map.groupBy(registry.all(), pathOf)
  const hashes = new Map([...groups].map(([path, kinds]) => [path, hashOf(kinds)]))
  const made = { version: registry.version, groups, hashes }
  indexes.set(registry, made)
  return made
}

export const openapiIndex = (registry: Registry): JsonMap => ({
  paths: Object.fromEntries(
    [...indexed(registry).hashes]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([path, hash]) => [path, { serverRelativeURL: `${openapiRoot}/${path}?hash=${hash}` }]),
  ),
})

export const openapiHash = (registry: Registry, path: string): string | undefined => indexed(registry).hashes.get(path)

const made = new BoundedCache<string, string>(32)

export const openapiDocument = (registry: Registry, path: string, hash: string): string =>
  keptOrMade(made, hash, () => JSON.stringify(documentOf(indexed(registry).groups.get(path) ?? [])))

/** The definitions of custom kinds. Schemas of built-in kinds are only in v3. */
export const openapiVersion2 = (registry: Registry): JsonMap => {
  const kinds = registry.customKinds()
  const schemas = kinds.length > 0 ? componentSchemas(kinds) : {}
  const definitions = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, version2(schema)]))
  const text = JSON.stringify(definitions).replaceAll('"#/components/schemas/', '"#/definitions/')
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: version.gitVersion },
    paths: {},
    definitions: JSON.parse(text) as JsonMap,
  }
}

const kindMark = 'x-kubernetes-group-version-kind'

/** kubectl refuses undeclared fields of an open object if any field is declared, so no field is declared. */
const version2 = (schema: unknown): unknown =>
  isMap(schema) && schema['x-kubernetes-preserve-unknown-fields'] === true
    ? { type: 'object', [kindMark]: schema[kindMark] }
    : schema

const documentOf = (kinds: readonly Kind[]): JsonMap => ({
  openapi: '3.0.0',
  info: { title: 'Kubernetes', version: 'unversioned' },
  paths: Object.assign({}, ...kinds.map(pathsOf)),
  components: { schemas: componentSchemas(kinds) },
})
