// What the templates of a chart see as `.`, and the templates in the order in which they are parsed and executed.
import type { Files, RenderContext } from '../../generator.ts'
import { globMatcher } from '../../glob.ts'
import type { Budget } from '../../template/run/budget.ts'
import { textOf } from '../../template/value/bytes.ts'
import { fn, within } from '../../template/value/signature.ts'
import { GoMap, type GoValue, mapOf, Struct, textList } from '../../template/value/value.ts'
import { compactStyle, writeYaml } from '../../template/yaml/write.ts'
import { type Chart, isLibrary } from '../chart/chart.ts'
import { capabilities } from './capabilities.ts'
import { chartMap } from './chart-map.ts'
import { chartValues } from './chart-values.ts'

/** A file below `templates/`. Those of one chart share their scope: what one of them sets, the next ones see. */
export type ChartTemplate = {
  readonly name: string
  readonly text: string
  readonly scope: GoMap
  /** Its folder `templates`, as `.Template.BasePath` says it. */
  readonly folder: string
}

/** Deepest first, then from the end of the alphabet: definitions of a chart win over those of its subcharts. */
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

/** A library only lends its definitions. */
const ownTemplates = (chart: Chart, { path }: Place, scope: GoMap): ChartTemplate[] =>
  [...chart.templates]
    .filter(([file]) => !isLibrary(chart) || isPartial(file))
    .map(([file, bytes]) => ({
      name: `${path}/${file}`,
      text: Buffer.from(bytes).toString('utf8'),
      scope,
      folder: `${path}/templates`,
    }))

/** Files that are included by others and give no objects of their own. */
export const isPartial = (path: string): boolean => path.slice(path.lastIndexOf('/') + 1).startsWith('_')

/** A map of contents by path, with Helm's methods; what is not there is empty. */
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

/** A pattern that is none means all files, as in Helm. */
const matching = (files: Files, pattern: string): Files => {
  const matches = globMatcher(pattern)
  return matches ? new Map([...files].filter(([path]) => matches(path))) : files
}

/** By the last part of the path. */
const byName = (files: Files, content: (bytes: Uint8Array) => string): GoMap =>
  mapOf([...files].map(([path, bytes]) => [path.slice(path.lastIndexOf('/') + 1), content(bytes)]))

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

const yamlText = (map: GoMap, budget: Budget): string => writeYaml(map, compactStyle, budget)
