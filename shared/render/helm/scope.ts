// The value `.` of the templates of a chart: `.Values`, `.Capabilities`, `.Files` and the others; and the order in which templates are parsed
// and executed.
import { isMap, mapOrEmpty } from '../../core/json/json.ts'
import type { Files, RenderContext, TargetCluster } from '../generator.ts'
import { globMatcher } from '../glob.ts'
import { compactStyle, writeYaml, yamlText } from '../template/format/yaml.ts'
import { type Budget, Failure } from '../template/run/environment.ts'
import { quote } from '../template/syntax/literals.ts'
import { textOf } from '../template/value/bytes.ts'
import { fn, within } from '../template/value/function.ts'
import { asMap } from '../template/value/kinds.ts'
import { GoMap, type GoValue, mapOf, Struct, textList, textMap } from '../template/value/value.ts'
import {
  type Chart,
  chartText,
  type Dependency,
  isLibrary,
  listField,
  textField,
  textsField,
  usedName,
} from './chart.ts'
import { importRules } from './dependencies.ts'

/** A file below `templates/`. All files of a chart share a scope: if one file sets a value, the next files see the value. */
export type ChartTemplate = {
  readonly name: string
  readonly text: string
  readonly scope: GoMap
  readonly folder: string
}

/** Deepest templates first, then in descending order of names. Later definitions win, so a chart wins over its subcharts. */
export const templatesOf = (chart: Chart, values: GoMap, context: RenderContext): ChartTemplate[] => {
  const release = mapOf(releaseEntries(context))
  const shared = mapOf([
    ['Release', release],
    ['Capabilities', capabilities(context.cluster)],
  ])
  const { templates } = chartScope(chart, { path: chart.name, values, shared, isRoot: true })
  return templates.toSorted(
    (a, b) => depth(b.name) - depth(a.name) || Buffer.compare(Buffer.from(b.name), Buffer.from(a.name)),
  )
}

const releaseEntries = ({ name, namespace, revision }: RenderContext): [string, GoValue][] => [
  ['Name', name],
  ['Namespace', namespace],
  ['Revision', BigInt(revision)],
  ['IsInstall', revision === 1],
  ['IsUpgrade', revision !== 1],
  ['Service', 'Helm'],
]

const depth = (name: string): number => name.split('/').length

type Place = { readonly path: string; readonly values: GoMap; readonly shared: GoMap; readonly isRoot: boolean }

const chartScope = (chart: Chart, place: Place): { scope: GoMap; templates: ChartTemplate[] } => {
  const below = chart.charts.map(sub => ({ name: sub.name, ...chartScope(sub, placeOf(sub, place)) }))
  const scope = new GoMap([
    ...place.shared,
    ['Chart', chartMap(chart, place.isRoot)],
    ['Files', chartFiles(chart.files)],
    ['Values', chartValues(place.values)],
    ['Subcharts', mapOf(below.map(({ name, scope }) => [name, scope]))],
  ])
  return { scope, templates: [...ownTemplates(chart, place, scope), ...below.flatMap(({ templates }) => templates)] }
}

const placeOf = ({ name }: Chart, { path, values, shared }: Place): Place => {
  const inside = values.get(name)
  return {
    path: `${path}/charts/${name}`,
    values: inside instanceof GoMap ? inside : new GoMap(),
    shared,
    isRoot: false,
  }
}

const ownTemplates = (chart: Chart, { path }: Place, scope: GoMap): ChartTemplate[] =>
  [...chart.templates]
    .filter(([file]) => !isLibrary(chart) || isPartial(file))
    .map(([file, bytes]) => ({
      name: `${path}/${file}`,
      text: Buffer.from(bytes).toString('utf8'),
      scope,
      folder: `${path}/templates`,
    }))

/** Files such as `_helpers.tpl`, which other templates include. Such files create no objects. */
export const isPartial = (path: string): boolean => path.slice(path.lastIndexOf('/') + 1).startsWith('_')

/** `.Files` with Helm's methods. A missing file reads as empty. */
const chartFiles = (files: Files): Struct => {
  const text = (path: string): string => textOf(files.get(path) ?? nothing)
  return new Struct('engine.files', {
    under: mapOf([...files].map(([path, bytes]): [string, GoValue] => [path, bytes])),
    methods: {
      Get: fn('string', text),
      GetBytes: fn('string', path => files.get(path) ?? nothing),
      Lines: fn('string', path => textList(files.has(path) ? linesOf(text(path)) : [])),
      Glob: fn('string', pattern => chartFiles(matching(files, pattern))),
      AsConfig: within('', call => compactYaml(byName(files, textOf), call.budget)),
      AsSecrets: within('', call => compactYaml(byName(files, base64), call.budget)),
    },
  })
}

const nothing = new Uint8Array()

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n')

/** As in Helm, an invalid pattern means all files. */
const matching = (files: Files, pattern: string): Files => {
  const matches = globMatcher(pattern)
  return matches ? new Map([...files].filter(([path]) => matches(path))) : files
}

const byName = (files: Files, content: (bytes: Uint8Array) => string): GoMap =>
  mapOf([...files].map(([path, bytes]) => [path.slice(path.lastIndexOf('/') + 1), content(bytes)]))

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const compactYaml = (map: GoMap, budget: Budget): string => writeYaml(map, compactStyle, budget)

const chartMap = ({ name, metadata }: Chart, isRoot: boolean): GoMap => {
  const { fields } = metadata
  return new GoMap([
    ...texts.map(([shown, field]) => [shown, textField(fields, field)] as const),
    ['APIVersion', metadata.apiVersion],
    ['Name', name],
    ['IsRoot', isRoot],
    ['Deprecated', fields.deprecated === true],
    ['Keywords', textsField(fields, 'keywords')],
    ['Sources', textsField(fields, 'sources')],
    ['Maintainers', listField(fields, 'maintainers').map(maintainerMap)],
    ['Annotations', annotationMap(fields.annotations)],
    ['Dependencies', metadata.dependencies.map(dependencyMap)],
  ])
}

const texts = [
  ['Version', 'version'],
  ['AppVersion', 'appVersion'],
  ['Description', 'description'],
  ['Home', 'home'],
  ['Icon', 'icon'],
  ['KubeVersion', 'kubeVersion'],
  ['Type', 'type'],
  ['Condition', 'condition'],
  ['Tags', 'tags'],
] as const

const annotationMap = (value: unknown): GoMap => {
  const map = textMap(
    isMap(value)
      ? Object.entries(value).map(([key, text]) => [key, chartText(text, `annotations.${key}`)] as const)
      : [],
  )
  return Object.assign(map, { isNil: !isMap(value) })
}

const maintainerMap = (maintainer: unknown): GoValue => {
  const fields = mapOrEmpty(maintainer)
  return new GoMap([
    ['Name', textField(fields, 'name')],
    ['Email', textField(fields, 'email')],
    ['URL', textField(fields, 'url')],
  ])
}

const dependencyMap = (dependency: Dependency): GoValue =>
  new GoMap([
    ['Name', usedName(dependency)],
    ['Alias', dependency.alias],
    ['Version', dependency.version],
    ['Repository', textField(dependency.fields, 'repository')],
    ['Condition', dependency.condition],
    ['Tags', [...dependency.tags]],
    ['Enabled', true],
    ['ImportValues', importRules(dependency).map(rule => textMap(Object.entries(rule)))],
  ])

const capabilities = ({ version, apiVersions }: TargetCluster): Struct =>
  new Struct('*common.Capabilities', {
    fields: new GoMap([
      ['KubeVersion', kubeVersion(version)],
      ['APIVersions', versionSet(apiVersions)],
      ['HelmVersion', helmVersion],
    ]),
  })

/** `v1.33.4-gke.1245000` becomes `v1.33.4`, because Helm compares a chart's kubeVersion with the version without suffix. */
export const plainKubeVersion = (version: string): string => version.split(/[-+]/, 1)[0] ?? ''

const kubeVersion = (version: string): Struct => {
  const [, major = '', minor = ''] = /^v?(\d+)(?:\.(\d+))?/.exec(version) ?? []
  const plain = plainKubeVersion(version)
  const fields = mapOf([
    ['Version', version],
    ['normalizedVersion', plain],
    ['Major', major],
    ['Minor', minor],
  ])
  const json = mapOf([...fields].filter(([name]) => name !== 'normalizedVersion'))
  return new Struct('common.KubeVersion', {
    fields,
    methods: { GitVersion: fn('', () => version), String: fn('', () => plain) },
    text: plain,
    passed: new Struct('common.KubeVersion', { fields, json }),
  })
}

const versionSet = (apiVersions: readonly string[]): Struct => {
  const known = new Set(apiVersions)
  return new Struct('common.VersionSet', {
    under: textList(apiVersions),
    methods: { Has: fn('string', version => known.has(version)) },
  })
}

const helmBuild = [
  { field: 'Version', key: 'version', value: 'v4.1.4' },
  { field: 'GitCommit', key: 'git_commit', value: '05fa37973dc9e42b76e1d2883494c87174b6074f' },
  { field: 'GitTreeState', key: 'git_tree_state', value: 'clean' },
  { field: 'GoVersion', key: 'go_version', value: 'go1.25.9' },
  { field: 'KubeClientVersion', key: 'kube_client_version', value: 'v1.35' },
]

const helmVersion = new Struct('version.BuildInfo', {
  fields: mapOf(helmBuild.map(({ field, value }) => [field, value])),
  json: mapOf(helmBuild.map(({ key, value }) => [key, value])),
})

export const chartValues = (map: GoMap): Struct =>
  new Struct('common.Values', {
    under: map,
    around: chartValues,
    methods: {
      AsMap: fn('', () => (map.size === 0 ? new GoMap() : map)),
      Table: fn('string', path => chartValues(tableAt(map, path.split('.')))),
      PathValue: fn('string', path => valueAt(map, path)),
      YAML: within('', ({ budget }) => `${yamlText(map, budget)}\n`),
    },
  })

const tableAt = (map: GoMap, path: readonly string[]): GoMap =>
  path.reduce((table, key) => tableOf(table.get(key)) ?? missing(`${quote(key)} is not a table`), map)

const tableOf = (value: GoValue): GoMap | undefined => {
  const map = asMap(value)
  return map?.zero === null ? map : undefined
}

const valueAt = (map: GoMap, path: string): GoValue => {
  if (path === '') return missing('YAML path cannot be empty')
  const [key = '', ...above] = path.split('.').reverse()
  const table = above.reverse().reduce<GoMap | undefined>((inner, part) => tableOf(inner?.get(part)), map)
  const value = table?.get(key)
  return table?.has(key) && !tableOf(value) ? value : missing(`${quote(key)} is not a value`)
}

const missing = (complaint: string): never => {
  throw new Failure(complaint)
}
