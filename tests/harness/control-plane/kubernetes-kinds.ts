// `node tests/harness/control-plane/kubernetes-kinds.ts ~/go/pkg/mod/k8s.io v1.36.3` writes the data files of shared/embedded anew: kinds,
// schemas, descriptions and RBAC's first roles, from the sources of one Kubernetes release as the Go module cache holds them. Run it
// when the release changes.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { parseAllDocuments } from 'yaml'
import { enumFields } from './kubernetes-enums.ts'
import { fieldTags } from './kubernetes-tags.ts'

type Json = Record<string, unknown>
type DiscoveryResource = {
  resource: string
  responseKind: { group: string; version: string; kind: string }
  scope: string
  singularResource: string
  shortNames?: string[]
  categories?: string[]
  verbs: string[]
  subresources?: {
    subresource: string
    responseKind: { group: string; version: string; kind: string }
    verbs: string[]
  }[]
}
type DiscoveryGroup = {
  metadata: { name?: string }
  versions: { version: string; resources: DiscoveryResource[] }[]
}

const [modules = '', release = ''] = process.argv.slice(2)
const api = join(modules, `kubernetes@${release}`, 'api')
const kindsFolder = 'shared/embedded/kinds'
const references = '#/components/schemas/'

const read = (file: string): Json => JSON.parse(readFileSync(file, 'utf8')) as Json

const isServedByDefault = (version: string) => /^v\d+$/.test(version)

const groups = (): { group: string; version: string; resource: DiscoveryResource }[] => {
  const aggregated = read(join(api, 'discovery', 'aggregated_v2.json')).items as DiscoveryGroup[]
  return [...coreGroup(), ...aggregated].flatMap(({ metadata, versions }) =>
    versions
      .filter(({ version }) => isServedByDefault(version))
      .flatMap(({ version, resources }) =>
        resources.map(resource => ({ group: metadata.name ?? '', version, resource })),
      ),
  )
}

/** The core group is not part of the aggregated file: built from the plain list. */
const coreGroup = (): DiscoveryGroup[] => {
  type Plain = {
    name: string
    kind: string
    group?: string
    version?: string
    namespaced: boolean
    singularName: string
    verbs: string[]
  }
  const list = read(join(api, 'discovery', 'api__v1.json')).resources as (Plain & DiscoveryResource)[]
  const mains = list.filter(({ name }) => !name.includes('/'))
  const resources = mains.map(main => ({
    ...main,
    resource: main.name,
    singularResource: main.singularName,
    scope: main.namespaced ? 'Namespaced' : 'Cluster',
    responseKind: { group: main.group ?? '', version: main.version ?? '', kind: main.kind },
    subresources: list
      .filter(({ name }) => name.startsWith(`${main.name}/`))
      .map(sub => ({
        subresource: sub.name.slice(main.name.length + 1),
        responseKind: { group: sub.group ?? '', version: sub.version ?? '', kind: sub.kind },
        verbs: sub.verbs,
      })),
  }))
  return [{ metadata: {}, versions: [{ version: 'v1', resources }] }]
}

const allSchemas = (): Record<string, Json> => {
  const directory = join(api, 'openapi-spec', 'v3')
  const documents = readdirSync(directory).map(file => read(join(directory, file)))
  return Object.assign({}, ...documents.map(({ components }) => (components as Json | undefined)?.schemas ?? {}))
}

/** References become `$ref: name` beside their siblings. Descriptions are removed. */
const compact = (schema: Json): Json => {
  const { description, allOf, ...rest } = schema
  const target = (allOf as Json[] | undefined)?.[0]?.$ref ?? rest.$ref
  const own: Json = target ? { ...rest, $ref: String(target).slice(references.length) } : rest
  return Object.fromEntries(Object.entries(own).map(([key, value]) => [key, compactValue(key, value)]))
}

const compactValue = (key: string, value: unknown): unknown => {
  if (key === 'properties')
    return Object.fromEntries(
      Object.entries(value as Json).map(([name, property]) => [name, compact(property as Json)]),
    )
  if ((key === 'items' || key === 'additionalProperties') && typeof value === 'object') return compact(value as Json)
  return value
}

const referenced = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(referenced)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [String(inner)] : referenced(inner)))
}

const closure = (roots: string[], schemas: Record<string, Json>): string[] => {
  const seen = new Set<string>()
  const open = [...roots]
  for (let name = open.pop(); name; name = open.pop()) {
    if (seen.has(name) || !schemas[name]) continue
    seen.add(name)
    open.push(...referenced(schemas[name]))
  }
  return [...seen].sort()
}

const described = allSchemas()
const schemas = Object.fromEntries(Object.entries(described).map(([name, schema]) => [name, compact(schema)]))

const schemaName = (group: string, version: string, kind: string): string | undefined =>
  Object.entries(schemas).find(([, schema]) =>
    (schema['x-kubernetes-group-version-kind'] as Json[] | undefined)?.some(
      gvk => gvk.group === group && gvk.version === version && gvk.kind === kind,
    ),
  )?.[0]

const kinds = groups().map(({ group, version, resource }) => ({
  group,
  version,
  kind: resource.responseKind.kind,
  plural: resource.resource,
  singular: resource.singularResource,
  ...(resource.shortNames && { shortNames: resource.shortNames }),
  ...(resource.categories && { categories: resource.categories }),
  namespaced: resource.scope === 'Namespaced',
  verbs: resource.verbs,
  ...(resource.subresources?.length && {
    subresources: resource.subresources.map(({ subresource, responseKind, verbs }) => ({
      name: subresource,
      group: responseKind.group || group,
      version: responseKind.version || version,
      kind: responseKind.kind,
      verbs,
    })),
  }),
  schema: schemaName(group, version, resource.responseKind.kind),
}))

const tags = fieldTags(modules, release.replace(/^v1/, 'v0'))
const withTags = (name: string): Json => {
  const schema = schemas[name] ?? {}
  const go = tags.get(name)
  if (!go || !schema.properties) return withoutGroupVersionKind(schema)
  const properties = Object.entries(schema.properties as Record<string, Json>).map(([field, property]) => {
    const tag = go.get(field)
    return [field, tag ? { ...property, 'x-go': tag.go, ...(tag.proto && { 'x-proto': tag.proto }) } : property]
  })
  return withoutGroupVersionKind({ ...schema, properties: Object.fromEntries(properties) })
}
const withoutGroupVersionKind = ({ 'x-kubernetes-group-version-kind': _, ...schema }: Json): Json => schema

/** Bodies that are sent and answered, but are no served kinds. */
const bodies = ['DeleteOptions', 'ListMeta', 'Patch', 'Status'].map(
  name => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`,
)

const roots = kinds.flatMap(kind => [
  kind.schema,
  ...(kind.subresources ?? []).map(sub => schemaName(sub.group, sub.version, sub.kind)),
])
const names = closure([...roots.filter(name => name !== undefined), ...bodies], schemas)

const lines = (rows: unknown[]) => `${rows.map(row => JSON.stringify(row)).join('\n')}\n`
writeFileSync(join(kindsFolder, 'kinds.ndjson'), lines(kinds))
writeFileSync(join(kindsFolder, 'schemas.ndjson'), lines(names.map(name => [name, withTags(name)])))

const enums = enumFields(modules, release)

/** What schemas.ndjson leaves out, by schema: its own description, those of its fields, and values of fields. */
const descriptionsOf = (name: string): [name: string, own: string, fields: Json, values: Json] => {
  const { description = '', properties = {} } = described[name] ?? {}
  const known = enums.get(name)
  const fields = Object.entries(properties as Record<string, Json>).flatMap(([field, property]) => {
    const text = known?.get(field)?.description ?? property.description
    return text ? [[field, text]] : []
  })
  const values = [...(known ?? [])].map(([field, { values }]) => [field, values])
  return [name, String(description), Object.fromEntries(fields), Object.fromEntries(values)]
}
writeFileSync(join(kindsFolder, 'descriptions.ndjson.br'), brotliCompressSync(lines(names.map(descriptionsOf))))

const policies = join(modules, `kubernetes@${release}`, 'plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata')
const policyFiles = [
  'cluster-roles',
  'cluster-role-bindings',
  'controller-roles',
  'controller-role-bindings',
  'namespace-roles',
  'namespace-role-bindings',
]
const withoutEmptyTimes = ({ metadata, ...rest }: Json): Json => {
  const { creationTimestamp: _, ...named } = metadata as Json
  return { ...rest, metadata: named }
}
const policyObjects = policyFiles
  .flatMap(file => parseAllDocuments(readFileSync(join(policies, `${file}.yaml`), 'utf8')))
  .flatMap(parsed => (parsed.toJS() as { items: Json[] }).items)
writeFileSync('shared/embedded/authorization/bootstrap.ndjson', lines(policyObjects.map(withoutEmptyTimes)))
