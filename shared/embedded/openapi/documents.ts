// The OpenAPI documents. Version 3 has one document per group and version, made on request, and an index with hashes of the documents. The
// paths of a kind contain the data from which clients find operations, kinds and parameters.
import { createHash } from 'node:crypto'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import { keptOrMade, remembered } from '../../core/memory/remembered.ts'
import { apiVersionOf } from '../../core/objects/object.ts'
import { version } from '../discovery.ts'
import type { Kind, Subresource } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { isMap, type JsonMap } from '../value.ts'
import { componentSchemas, documentName, reference } from './schemas.ts'

export const openapiRoot = '/openapi/v3'

const pathOf = ({ group, version }: Kind): string => (group ? `apis/${group}/${version}` : `api/${version}`)

/** The hash of a document. Documents depend only on the kinds. */
const hashOf = (kinds: readonly Kind[]): string => {
  const hash = createHash('sha512').update(version.gitVersion)
  for (const kind of kinds) hash.update(JSON.stringify(kind))
  return hash.digest('hex').toUpperCase()
}

const indexAt = remembered((registry: Registry, _version: number) => {
  const groups = Map.groupBy(registry.all(), pathOf)
  return { groups, hashes: new Map([...groups].map(([path, kinds]) => [path, hashOf(kinds)])) }
})

const indexed = (registry: Registry) => indexAt(registry, registry.version)

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

const parameter = (name: string, type: string): JsonMap => ({ name, in: 'query', schema: { type, uniqueItems: true } })
const inPath = (name: string): JsonMap => ({ name, in: 'path', required: true, schema: { type: 'string' } })

const writing = ['dryRun', 'fieldManager', 'fieldValidation'].map(name => parameter(name, 'string'))
const selecting = [
  ...['continue', 'fieldSelector', 'labelSelector', 'resourceVersion', 'resourceVersionMatch'].map(name =>
    parameter(name, 'string'),
  ),
  ...['allowWatchBookmarks', 'sendInitialEvents', 'watch'].map(name => parameter(name, 'boolean')),
  ...['limit', 'timeoutSeconds'].map(name => parameter(name, 'integer')),
]
const deleting = [
  parameter('dryRun', 'string'),
  parameter('gracePeriodSeconds', 'integer'),
  parameter('orphanDependents', 'boolean'),
  parameter('propagationPolicy', 'string'),
]

type Verb = {
  readonly verb: string
  readonly method: string
  readonly description: string
  readonly parameters: readonly JsonMap[]
  readonly sends?: 'object' | 'patch' | 'options'
  readonly answers: 'object' | 'list' | 'status'
}

const writes = { parameters: writing, sends: 'object', answers: 'object' } as const
const deletes = { method: 'delete', parameters: deleting, sends: 'options', answers: 'status' } as const
const deletesAll = { ...deletes, parameters: [...selecting, ...deleting] }
const patches = { ...writes, parameters: [...writing, parameter('force', 'boolean')], sends: 'patch' } as const

const onCollection: readonly Verb[] = [
  { verb: 'list', method: 'get', description: 'list or watch objects of kind', parameters: selecting, answers: 'list' },
  { ...writes, verb: 'create', method: 'post', description: 'create a' },
  { ...deletesAll, verb: 'deletecollection', description: 'delete collection of' },
]

const onObject: readonly Verb[] = [
  { verb: 'get', method: 'get', description: 'read the specified', parameters: [], answers: 'object' },
  { ...writes, verb: 'create', method: 'post', description: 'create' },
  { ...writes, verb: 'update', method: 'put', description: 'replace the specified' },
  { ...patches, verb: 'patch', method: 'patch', description: 'partially update the specified' },
  { ...deletes, verb: 'delete', description: 'delete a' },
]

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1'
/** Clients read this type to find the supported patches. Custom kinds refuse this type. */
const strategic = 'strategic-merge-patch+json'
const patchTypes = ['json-patch+json', 'merge-patch+json', strategic, 'apply-patch+yaml']

type Target = {
  readonly name: string
  readonly gvk: { group: string; version: string; kind: string }
  readonly isCustom: boolean
}

const pathsOf = (kind: Kind): Record<string, JsonMap> => {
  const isCustom = kind.custom !== undefined
  const { group, version } = kind
  const root = group ? `/apis/${group}/${version}` : `/api/${version}`
  const collection = kind.namespaced ? `${root}/namespaces/{namespace}/${kind.plural}` : `${root}/${kind.plural}`
  const scope = kind.namespaced ? [inPath('namespace')] : []
  const target: Target = { name: documentName(kind, isCustom), gvk: { group, version, kind: kind.kind }, isCustom }
  const named = [inPath('name'), ...scope]
  const withoutCreate = kind.verbs.filter(verb => verb !== 'create')
  const everywhere = onCollection.filter(({ verb }) => verb === 'list')
  return nonEmpty({
    ...(kind.namespaced && { [`${root}/${kind.plural}`]: operations(everywhere, kind.verbs, target, []) }),
    [collection]: operations(onCollection, kind.verbs, target, scope),
    [`${collection}/{name}`]: operations(onObject, withoutCreate, target, named),
    ...Object.fromEntries(
      kind.subresources.map(sub => [
        `${collection}/{name}/${sub.name}`,
        operations(onObject, sub.verbs, subTarget(kind, sub), named),
      ]),
    ),
  })
}

const subTarget = (kind: Kind, sub: Subresource): Target => ({
  name: documentName(sub, kind.custom !== undefined && apiVersionOf(sub) === apiVersionOf(kind)),
  gvk: { group: sub.group, version: sub.version, kind: sub.kind },
  isCustom: kind.custom !== undefined,
})

const nonEmpty = (paths: Record<string, JsonMap | undefined>): Record<string, JsonMap> =>
  Object.fromEntries(Object.entries(paths).flatMap(([path, item]) => (item ? [[path, item]] : [])))

const operations = (
  rows: readonly Verb[],
  verbs: readonly string[],
  target: Target,
  parameters: readonly JsonMap[],
): JsonMap | undefined => {
  const served = rows.filter(({ verb }) => verbs.includes(verb))
  if (served.length === 0) return undefined
  return {
    ...Object.fromEntries(served.map(row => [row.method, operation(row, target)])),
    parameters: [...parameters, parameter('pretty', 'string')],
  }
}

const operation = (row: Verb, target: Target): JsonMap => ({
  description: `${row.description} ${target.gvk.kind}`,
  ...(row.parameters.length && { parameters: row.parameters }),
  ...(row.sends && { requestBody: { content: sent(row.sends, target), required: row.sends !== 'options' } }),
  responses: { 200: { description: 'OK', content: asJson(answered(row.answers, target.name)) } },
  'x-kubernetes-action': ['list', 'deletecollection'].includes(row.verb) ? row.verb : row.method,
  'x-kubernetes-group-version-kind': target.gvk,
})

const asJson = (name: string): JsonMap => ({ 'application/json': { schema: reference(name) } })

const sent = (body: NonNullable<Verb['sends']>, { name, isCustom }: Target): JsonMap => {
  if (body === 'object') return asJson(name)
  if (body === 'options') return asJson(`${meta}.DeleteOptions`)
  const types = patchTypes.filter(type => !isCustom || type !== strategic)
  return Object.fromEntries(types.map(type => [`application/${type}`, { schema: reference(`${meta}.Patch`) }]))
}

const answered = (answer: Verb['answers'], name: string): string => {
  if (answer === 'status') return `${meta}.Status`
  return answer === 'list' ? `${name}List` : name
}
