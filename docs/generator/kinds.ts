// The page of kinds: every field that people write and every field of the status, from the schemas of the definitions.
import { customResources } from '../../shared/deploy/manifests/manifests.ts'

type Schema = {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
}

type Definition = {
  readonly spec: {
    readonly group: string
    readonly scope: string
    readonly names: { readonly kind: string; readonly shortNames?: readonly string[] }
    readonly versions: readonly {
      readonly name: string
      readonly storage: boolean
      readonly schema: { readonly openAPIV3Schema: Schema }
    }[]
  }
}

/** Of each kind the stored version. */
export const kindsPage = (): string =>
  [
    '# Kinds',
    '',
    'Made by `npm run generate` from the definitions in manifests/crds; `kubectl explain` shows the same. Of each kind the stored version is here.',
    'A field in **bold** must be set where the object that holds it is set. `[]` is an item of a list, `*` a key of a map.',
    '',
    ...customResources().flatMap(({ objects }) => objects.flatMap(object => kind(object as unknown as Definition))),
  ].join('\n')

const kind = ({ spec }: Definition): string[] => {
  const { kind, shortNames = [] } = spec.names
  const version = spec.versions.find(({ storage }) => storage) ?? spec.versions[0]
  const { properties = {}, description } = version?.schema.openAPIV3Schema ?? {}
  return [
    `## ${kind}`,
    '',
    `\`${spec.group}/${version?.name}\`, ${spec.scope === 'Cluster' ? 'cluster-scoped' : 'namespaced'}${shortNames.map(name => `, \`${name}\``).join('')}.${description ? ` ${description}` : ''}`,
    '',
    ...['spec', 'status'].flatMap(part => fieldsTable(part, properties[part])),
  ]
}

const fieldsTable = (part: string, schema: Schema | undefined): string[] => {
  const rows = schema ? fieldsIn(schema, '') : []
  if (rows.length === 0) return []
  return [`### ${part}`, '', '| field | type | default | meaning |', '|---|---|---|---|', ...rows, '']
}

const fieldsIn = (schema: Schema, prefix: string): string[] => [
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    return [row(path, field, schema.required?.includes(name) ?? false), ...fieldsIn(field, `${path}.`)]
  }),
  ...(schema.items ? fieldsIn(schema.items, `${prefix.slice(0, -1)}[].`) : []),
  ...(typeof schema.additionalProperties === 'object' ? fieldsIn(schema.additionalProperties, `${prefix}*.`) : []),
]

const row = (path: string, field: Schema, isRequired: boolean): string => {
  const name = isRequired ? `**\`${path}\`**` : `\`${path}\``
  const usual = field.default === undefined ? '' : `\`${JSON.stringify(field.default)}\``
  return `| ${[name, typeText(field), usual, field.description ?? ''].map(cell).join(' | ')} |`
}

const typeText = (field: Schema): string => {
  if (field.enum) return field.enum.map(value => `\`${value === '' ? '""' : value}\``).join(', ')
  if (field['x-kubernetes-int-or-string'] || (field.type === undefined && field.anyOf)) return 'integer or string'
  if (field.type === 'array') return `list of ${field.items ? typeText(field.items) : 'anything'}`
  if (field.type === 'object' && typeof field.additionalProperties === 'object')
    return `map of ${typeText(field.additionalProperties)}`
  return `${field.type ?? 'anything'}${bounds(field)}`
}

const bounds = ({ minimum, maximum }: Schema): string =>
  [minimum === undefined ? '' : ` from ${minimum}`, maximum === undefined ? '' : ` to ${maximum}`].join('')

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ')
