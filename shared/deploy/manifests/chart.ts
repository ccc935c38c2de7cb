// Generates files of the chart in manifests/helm: Chart.yaml, values.yaml and the table of values from values.schema.json, serverless.yml,
// the relay's access per function, and the objects of a host per function. Templates are written by hand; links in `files` lead to the rest
// of manifests/. The chart of a user's operator has the same templates, but only the values that its functions use.
import type { FunctionSettings, Landscape } from '../../api/serverless.ts'
import { yamlOf } from '../../core/yaml/write.ts'
import { access, relayAccess } from '../access.ts'
import { hostObjects } from '../workloads/host.ts'
import type { ManifestFile } from './manifest-files.ts'
import { customResources } from './manifests.ts'

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
  readonly kinds?: readonly ManifestFile[]
}

/** Paths are relative to the project. */
export const chartFiles = ({ landscape, version, schema, readme, kinds = customResources() }: ChartParts) => [
  { path: 'manifests/helm/Chart.yaml', text: `${mark}package.json.\n${yamlOf(chart(landscape, version, kinds))}` },
  { path: 'manifests/helm/files/namespace', text: landscape.provider.namespace },
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

const chart = ({ service }: Landscape, version: string, kinds: readonly ManifestFile[]) => ({
  apiVersion: 'v2',
  // Templates use this name in names of roles.
  name: service,
  description: isOwn(service)
    ? 'Kubernetes platform controllers as stateless serverless functions'
    : `The operator ${service}`,
  type: 'application',
  version,
  appVersion: version,
  kubeVersion: '>=1.30.0-0',
  annotations: {
    ...(isOwn(service) && {
      'artifacthub.io/license': 'Apache-2.0',
      'artifacthub.io/category': 'integration-delivery',
    }),
    'artifacthub.io/operator': 'true',
    ...(isOwn(service) && { 'artifacthub.io/operatorCapabilities': 'Deep Insights' }),
    'artifacthub.io/crds': yamlOf(shownKinds(kinds)),
  },
})

const isOwn = (service: string): boolean => service === 'espalier'

/** Values for one function of Espalier, and values for our alert rules and dashboards. */
const functionOfValue: Readonly<Record<string, string>> = {
  component: 'component',
  tenantPolicy: 'component',
  manifest: 'manifest',
  watcher: 'runtime-events',
}
const valuesOfMonitoring = ['prometheusRule', 'dashboards']

/**
 * The schema of the values of a user's operator. The default of `runtimes.allowedHosts` comes from the operator's serverless.yml, because
 * the chart writes the value into the serverless.yml of the Pods.
 */
export const ownSchema = (schema: Schema, { service, provider, functions }: Landscape): Schema => {
  const { image = {}, runtimes = {}, ...others } = schema.properties ?? {}
  const hosts = provider.remotes?.runtimes?.allowedHosts
  const kept = Object.entries(others).filter(([name]) => {
    const needed = functionOfValue[name]
    return !valuesOfMonitoring.includes(name) && (needed === undefined || needed in functions)
  })
  const properties = {
    ...Object.fromEntries(kept),
    ...(hosts && { runtimes: withDefault(runtimes, 'allowedHosts', hosts) }),
    image: withDefault(image, 'repository', service),
  }
  return { ...schema, properties }
}

const withDefault = ({ properties = {}, ...section }: Schema, name: string, value: unknown): Schema => ({
  ...section,
  properties: { ...properties, [name]: { ...properties[name], default: value } },
})

type Definition = {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly names: { readonly kind: string }
    readonly versions: readonly { name: string; storage: boolean; schema: { openAPIV3Schema: Schema } }[]
  }
}

/** The stored versions of the kinds, for Artifact Hub. */
const shownKinds = (kinds: readonly ManifestFile[]) =>
  (kinds.flatMap(({ objects }) => objects) as unknown as Definition[]).flatMap(({ metadata, spec }) => {
    const { kind } = spec.names
    return spec.versions
      .filter(({ storage }) => storage)
      .map(({ name: version, schema: { openAPIV3Schema } }) => {
        const { description } = openAPIV3Schema
        return { kind, version, name: metadata.name, displayName: kind, description }
      })
  })

/** The text of serverless.yml without `include`, because the included functions are in `functions`. */
const landscapeText = ({ functions, include, ...rest }: Landscape): string => {
  const declared = Object.entries(functions).map(([name, { environment, ...settings }]) => [name, settings])
  return `${JSON.stringify(rest).slice(0, -1)},\n"functions": ${lineEach(Object.fromEntries(declared)).trimEnd()}}\n`
}

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

const properties = (schema: Schema, root: Schema): [name: string, schema: Schema][] =>
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
