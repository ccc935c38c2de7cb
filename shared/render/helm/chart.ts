// A chart with its subcharts, as read from files, before conditions and values are applied. Chart.yaml and requirements.yaml are read and checked
// as Helm does.
import { checks } from '../../core/decisions/checks.ts'
import { isMap, type JsonMap } from '../../core/json/json.ts'
import { type Files, RenderError } from '../generator.ts'
import { parseVersion, satisfies } from '../template/functions/versions.ts'
import { holds } from '../template/run/environment.ts'
import { isPrint } from '../template/syntax/literals.ts'

export type Chart = {
  /** Name in Chart.yaml, or the alias that the parent chart gives. */
  readonly name: string
  readonly metadata: Metadata
  readonly values: JsonMap
  readonly schema?: string
  readonly templates: Files
  /** Files that templates may read: all but templates, subcharts and the files that Helm hides. */
  readonly files: Files
  readonly charts: readonly Chart[]
}

/** Chart.yaml. Templates see all fields; Helm itself only uses the fields named here. */
type Metadata = {
  readonly apiVersion: 'v1' | 'v2'
  readonly name: string
  readonly version: string
  readonly type: string
  readonly kubeVersion: string
  readonly dependencies: readonly Dependency[]
  readonly fields: JsonMap
}

export type Dependency = {
  readonly name: string
  readonly version: string
  readonly alias: string
  /** Comma-separated paths in the values; the first path with a boolean value decides. */
  readonly condition: string
  readonly tags: readonly string[]
  readonly importValues: readonly unknown[]
  readonly fields: JsonMap
}

/** Name of the subchart in the parent's values and conditions. */
export const usedName = (dependency: Dependency): string => dependency.alias || dependency.name

export const isLibrary = (chart: Chart): boolean => chart.metadata.type === 'library'

/** The chart and all its subcharts. Each chart precedes its own subcharts. */
export const withSubcharts = (chart: Chart): Chart[] => [chart, ...chart.charts.flatMap(withSubcharts)]

const isVersion = (text: string): boolean => holds(() => parseVersion(text) !== undefined)

export const fits = (version: string, range: string): boolean => holds(() => satisfies(parseVersion(version), range))

/** `requirements` holds the dependencies of charts of version 1. */
export const metadataOf = (chartYaml: JsonMap, requirements: JsonMap | undefined): Metadata => {
  const fields = { ...chartYaml, ...requirements }
  const metadata: Metadata = {
    apiVersion: apiVersionOf(fields),
    name: textField(fields, 'name'),
    version: textField(fields, 'version'),
    type: textField(fields, 'type'),
    kubeVersion: textField(fields, 'kubeVersion'),
    dependencies: listField(fields, 'dependencies').map(dependencyOf),
    fields,
  }
  const fault = metadataFault(metadata)
  if (fault !== undefined) throw new RenderError(`Chart.yaml: ${fault}`)
  return metadata
}

const apiVersionOf = (fields: JsonMap): Metadata['apiVersion'] => {
  const version = textField(fields, 'apiVersion') || 'v1'
  if (version === 'v1' || version === 'v2') return version
  throw new RenderError(`Chart.yaml: apiVersion ${version} is not supported`)
}

const dependencyOf = (entry: unknown): Dependency => {
  if (!isMap(entry)) throw new RenderError('Chart.yaml: dependencies must not contain empty or null nodes')
  return {
    name: textField(entry, 'name'),
    version: textField(entry, 'version'),
    alias: textField(entry, 'alias'),
    condition: textField(entry, 'condition'),
    tags: textsField(entry, 'tags'),
    importValues: listField(entry, 'import-values'),
    fields: entry,
  }
}

const metadataFault = checks<[Metadata], string>(
  ({ name }) => name === '' && 'name is required',
  ({ name }) => (name.includes('/') || /^\.+$/.test(name)) && `name "${name}" is invalid`,
  ({ version }) => version === '' && 'version is required',
  ({ version }) => !isVersion(version) && `version "${version}" is invalid`,
  ({ type }) => !['', 'application', 'library'].includes(type) && 'type must be application or library',
  ({ dependencies }) => dependencies.some(hasOddAlias) && 'a dependency has disallowed characters in its alias',
  ({ dependencies }) =>
    new Set(dependencies.map(usedName)).size < dependencies.length &&
    'more than one dependency has the same name or alias',
)

const hasOddAlias = ({ alias }: Dependency): boolean => !/^[a-zA-Z0-9_-]*$/.test(alias)

/** The text in one line, without invisible characters; '' if the field is missing. */
export const textField = (fields: JsonMap, name: string): string => inOneLine(chartText(fields[name], name))

export const textsField = (fields: JsonMap, name: string): string[] =>
  listField(fields, name).map(text => inOneLine(chartText(text, name)))

const inOneLine = (text: string): string =>
  Array.from(text, rune => (/\p{White_Space}/u.test(rune) ? ' ' : isPrint(rune) ? rune : '')).join('')

/** Null becomes ''; booleans and numbers become text, because Helm decodes Chart.yaml into Go strings. */
export const chartText = (value: unknown, name: string): string => {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new RenderError(`Chart.yaml: ${name} is not a string`)
}

export const listField = (fields: JsonMap, name: string): readonly unknown[] => {
  const value = fields[name] ?? []
  if (Array.isArray(value)) return value
  throw new RenderError(`Chart.yaml: ${name} is not a list`)
}
