// Generates files of the chart in manifests/helm: Chart.yaml, values.yaml and the table of values from values.schema.json, serverless.yml,
// the relay's access per function, and the objects of a host per function. Templates are written by people; links in `files` lead to the
// rest of manifests/.
import type { FunctionSettings, Landscape } from '../../api/serverless.ts'
import { yamlOf } from '../../core/yaml/write.ts'
import { relayAccess } from '../access/relay-access.ts'
import { access } from '../access/roles.ts'
import { hostObjects } from '../workloads/host.ts'
import { customResources } from './custom-resources.ts'

type Schema = {
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Schema>>
}

type ChartParts = {
  readonly landscape: Landscape
  readonly version: string
  readonly schema: Schema
  /** The old README.md, whose table is replaced. */
  readonly readme: string
}

/** Paths are relative to the project. */
export const chartFiles = ({ landscape, version, schema, readme }: ChartParts) => [
  { path: 'manifests/helm/Chart.yaml', text: `${mark}package.json.\n${yamlOf(chart(version))}` },
  {
    path: 'manifests/helm/values.yaml',
    text: `${mark}values.schema.json.\n${valuesText(schema, schema).join('\n')}\n`,
  },
  { path: 'manifests/helm/files/landscape.json', text: landscapeText(landscape) },
  { path: 'manifests/helm/files/relay-access.json', text: relayText(landscape) },
  { path: 'manifests/helm/files/per-function.json', text: lineEach(hosts(landscape)) },
  { path: 'manifests/helm/README.md', text: readme.replace(table, `$<start>\n${tableText(schema)}\n$<end>`) },
]

const mark = '# Made by `npm run generate` from '

const chart = (version: string) => ({
  apiVersion: 'v2',
  name: 'espalier',
  description: 'Kubernetes platform controllers as stateless serverless functions',
  type: 'application',
  version,
  appVersion: version,
  kubeVersion: '>=1.30.0-0',
  annotations: {
    'artifacthub.io/license': 'Apache-2.0',
    'artifacthub.io/category': 'integration-delivery',
    'artifacthub.io/operator': 'true',
    'artifacthub.io/operatorCapabilities': 'Deep Insights',
    'artifacthub.io/crds': yamlOf(kinds()),
  },
})

type Definition = {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly names: { readonly kind: string }
    readonly versions: readonly { name: string; storage: boolean; schema: { openAPIV3Schema: Schema } }[]
  }
}

/** The stored versions of our kinds, for Artifact Hub. */
const kinds = () =>
  (customResources().flatMap(({ objects }) => objects) as unknown as Definition[]).flatMap(({ metadata, spec }) => {
    const { kind } = spec.names
    return spec.versions
      .filter(({ storage }) => storage)
      .map(({ name: version, schema: { openAPIV3Schema } }) => {
        const { description } = openAPIV3Schema
        return { kind, version, name: metadata.name, displayName: kind, description }
      })
  })

const landscapeText = ({ functions, ...rest }: Landscape): string =>
  `${JSON.stringify(rest).slice(0, -1)},\n"functions": ${lineEach(functions).trimEnd()}}\n`

/** Roles and bindings of the relay, by function. */
const relayText = (landscape: Landscape): string => {
  const subject = { name: 'relay', namespace: landscape.provider.namespace, service: landscape.service }
  const rulesOf = (name: string, settings: FunctionSettings) =>
    relayAccess({ ...landscape, functions: { [name]: settings } })
  return lineEach(
    Object.fromEntries(
      Object.entries(landscape.functions).map(([name, settings]) => [
        name,
        access(`relay-${name}`, rulesOf(name, settings), subject),
      ]),
    ),
  )
}

const hosts = (landscape: Landscape) =>
  Object.fromEntries(Object.keys(landscape.functions).map(name => [name, hostObjects(landscape, name, [name])]))

const lineEach = (values: object): string =>
  `{\n${Object.entries(values)
    .map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')}\n}\n`

const properties = (schema: Schema, root: Schema): [name: string, of: Schema][] =>
  Object.entries((schema.$ref ? root.$defs?.[schema.$ref.replace('#/$defs/', '')] : schema)?.properties ?? {})

const valuesText = (schema: Schema, root: Schema): string[] =>
  properties(schema, root)
    .filter(([name]) => name !== 'global')
    .flatMap(([name, value]) =>
      value.description === undefined
        ? [`${name}:`, ...valuesText(value, root).map(line => `  ${line}`)]
        : [`# ${value.description}.`, `${name}: ${JSON.stringify(value.default)}`],
    )

const table = /(?<start><!-- values -->)[\s\S]*(?<end><!-- end of values -->)/

const tableText = (schema: Schema): string =>
  ['| value | default | what it is |', '|---|---|---|', ...rows(schema, schema, '')].join('\n')

const rows = (schema: Schema, root: Schema, prefix: string): string[] =>
  properties(schema, root)
    .filter(([name]) => name !== 'global')
    .flatMap(([name, value]) =>
      value.description === undefined
        ? rows(value, root, `${prefix}${name}.`)
        : [`| \`${prefix}${name}\` | \`${JSON.stringify(value.default)}\` | ${value.description} |`],
    )
