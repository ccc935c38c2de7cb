// The value `.` of the templates of a chart, and the order in which templates are parsed and executed.

import { isMap, mapOrEmpty } from '../../core/json/json.ts'
import type { Files, RenderContext } from '../generator.ts'
import { globMatcher } from '../glob.ts'
import { compactStyle, writeYaml } from '../template/format/yaml.ts'
import type { Budget } from '../template/run/environment.ts'
import { textOf } from '../template/value/bytes.ts'
import { fn, within } from '../template/value/function.ts'
import { GoMap, type GoValue, mapOf, Struct, textList, textMap } from '../template/value/value.ts'
import { capabilities } from './capabilities.ts'
import { type Chart, type Dependency, isLibrary, usedName } from './chart/chart.ts'
import { chartText, listField, textField, textsField } from './chart/metadata.ts'
import { importRules } from './dependencies.ts'
import { chartValues } from './values/chart-values.ts'

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
      AsConfig: within('', call => yamlText(byName(files, textOf), call.budget)),
      AsSecrets: within('', call => yamlText(byName(files, base64), call.budget)),
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

const yamlText = (map: GoMap, budget: Budget): string => writeYaml(map, compactStyle, budget)

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
