// The paths of one kind in OpenAPI v3, with the data from which clients find operations, kinds and parameters.
import { apiVersionOf } from '../../core/objects/object.ts'
import type { Kind, Subresource } from '../kinds/kind.ts'
import type { JsonMap } from '../value.ts'
import { documentName, reference } from './schemas.ts'

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

export const pathsOf = (kind: Kind): Record<string, JsonMap> => {
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
