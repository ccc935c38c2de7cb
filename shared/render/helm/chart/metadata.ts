// Chart.yaml and requirements.yaml, read and checked as Helm does.
import { checks } from '../../../core/decisions/checks.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { isPrint } from '../../template/syntax/literals.ts'
import { type Dependency, isVersion, type Metadata, usedName } from './chart.ts'

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
