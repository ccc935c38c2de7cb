// Reads a chart and its subcharts from files. Subcharts may be packed.
import { isMap, type JsonMap } from '../../core/json/json.ts'
import { formatFloat } from '../../core/text/float-text.ts'
import { readYaml, readYamlWith, YamlError } from '../../core/yaml/read.ts'
import { plainScalar } from '../../core/yaml/scalar-text.ts'
import { type At, type Files, RenderError } from '../generator.ts'
import { archiveLimits, unpackTarGz, withoutFolder } from '../unpack.ts'
import { type Chart, metadataOf } from './chart.ts'
import { withoutIgnored } from './ignore.ts'
import { jsonOf, layUnder, valuesOf } from './values.ts'

export const loadChart = (files: Files, at: At = () => {}): Chart => {
  const ignoreFile = files.get('.helmignore')
  const folder = { path: '', room: { bytes: archiveLimits.bytes }, at }
  return chartOf(withoutIgnored(files, ignoreFile ? textOf(ignoreFile) : ''), folder)
}

/** `path` is for messages. `room`: bytes that packed subcharts may still unpack to. */
type Folder = { readonly path: string; readonly room: { bytes: number }; readonly at: At }

const chartOf = (files: Files, folder: Folder): Chart => {
  const read = (name: string) => metadataFile(files, name, folder)
  const chartYaml = read('Chart.yaml')
  if (!chartYaml) throw new RenderError(`${folder.path}Chart.yaml is missing`)
  const metadata = located(folder.path, () => metadataOf(chartYaml, read('requirements.yaml')))
  const schema = files.get('values.schema.json')
  return {
    name: metadata.name,
    metadata,
    values: defaultValues(files, folder),
    ...(schema && { schema: textOf(schema) }),
    templates: chosen(files, path => path.startsWith('templates/')),
    files: chosen(files, path => isReadable(path, metadata.apiVersion)),
    charts: subcharts(files, folder),
  }
}

const chosen = (files: Files, isChosen: (path: string) => boolean): Files =>
  new Map([...files].filter(([path]) => isChosen(path)).map(([path, bytes]) => [path, withoutMark(bytes)]))

const kept = ['Chart.yaml', 'Chart.lock', 'values.yaml', 'values.schema.json']
const keptSinceV2 = ['requirements.yaml', 'requirements.lock']

/** False for files that Helm reads itself and hides from templates. */
const isReadable = (path: string, apiVersion: string): boolean =>
  !kept.includes(path) &&
  !(apiVersion === 'v2' && keptSinceV2.includes(path)) &&
  !path.startsWith('templates/') &&
  (!path.startsWith('charts/') || path.endsWith('.prov'))

const subcharts = (files: Files, { path, room, at }: Folder): Chart[] => {
  const inside = [...files].filter(([path]) => path.startsWith('charts/') && !path.endsWith('.prov'))
  const folders = Map.groupBy(inside, ([path]) => path.split('/')[1] ?? '')
  return [...folders]
    .filter(([name]) => !/^[_.]/.test(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, entries]) => {
      const folder = { path: `${path}charts/${name}/`, room, at }
      return chartOf(name.endsWith('.tgz') ? packedFiles(entries, folder) : withoutFolders(entries), folder)
    })
}

/** Limit for the path of a packed subchart, because an archive can contain itself. */
const pathMost = 1_000

const packedFiles = (entries: readonly Entry[], { path, room, at }: Folder): Files => {
  const [[name, bytes] = []] = entries
  if (bytes === undefined || !name?.endsWith('.tgz'))
    throw new RenderError(`${path} is a folder, but its name ends with .tgz like the name of an archive`)
  if (path.length > pathMost) throw new RenderError(`${path}: archives of subcharts are nested too deeply`)
  at(path.slice(0, -1))
  const files = located(path, () => withoutFolder(unpackTarGz(bytes, { ...archiveLimits, bytes: room.bytes })))
  for (const content of files.values()) room.bytes -= content.length
  return files
}

type Entry = readonly [path: string, bytes: Uint8Array]

/** Files below `charts/NAME/`. A file directly in `charts/` belongs to no chart. */
const withoutFolders = (entries: readonly Entry[]): Files =>
  new Map(entries.map(([path, bytes]) => [path.split('/').slice(2).join('/'), bytes] as const).filter(([path]) => path))

const metadataFile = (files: Files, name: string, { path, at }: Folder): JsonMap | undefined => {
  const bytes = files.get(name)
  at(`${path}${name}`)
  return bytes && mapIn(textOf(bytes), `${path}${name}`, text => readYamlWith(textScalar, text))
}

/** values.yaml may contain several documents; later documents win. */
const defaultValues = (files: Files, { path, at }: Folder): JsonMap => {
  at(`${path}values.yaml`)
  const bytes = files.get('values.yaml')
  const documents = bytes ? textOf(bytes).split(/^---.*$/m) : []
  return documents.map(text => mapIn(text, `${path}values.yaml`)).reduce(mergedMaps, {})
}

const mergedMaps = (under: JsonMap, over: JsonMap): JsonMap => {
  const values = valuesOf(over)
  layUnder(values, valuesOf(under), 'keep')
  return jsonOf(values)
}

const mapIn = (text: string, path: string, read: (text: string) => unknown = readYaml): JsonMap => {
  const content = located(path, () => read(text)) ?? {}
  if (isMap(content)) return content
  throw new RenderError(`${path} does not contain a map`)
}

const located = <Result>(path: string, read: () => Result): Result => {
  try {
    return read()
  } catch (error) {
    if (error instanceof YamlError) throw new RenderError(`${path}: ${error.message}`, { cause: error })
    if (error instanceof RenderError) throw new RenderError(`${path}${error.message}`, { cause: error })
    throw error
  }
}

const byteOrderMark = [0xef, 0xbb, 0xbf]

const withoutMark = (bytes: Uint8Array): Uint8Array =>
  byteOrderMark.every((byte, index) => bytes[index] === byte) ? bytes.subarray(byteOrderMark.length) : bytes

const textOf = (bytes: Uint8Array): string => Buffer.from(withoutMark(bytes)).toString('utf8')

/** Unquoted numbers in Chart.yaml become texts, in Go's spelling. */
const textScalar = (text: string): string | number | boolean | null => {
  const value = plainScalar(text)
  if (typeof value !== 'number' || Number.isNaN(value)) return value
  const digits = text.replaceAll('_', '')
  return isWhole.test(digits) && Math.abs(value) < 2 ** 64 ? wholeText(digits, value) : floatText(value)
}

const isWhole = /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/

const wholeText = (digits: string, value: number): string =>
  Number.isSafeInteger(value) || digits.startsWith('0') ? String(value) : digits.replace(/^\+/, '')

const digitsMost = 9

const floatText = (value: number): string => {
  const single = Math.fround(value)
  const counts = Array.from({ length: digitsMost }, (_, index) => index + 1)
  const shortest = counts.map(count => Number(single.toPrecision(count))).find(short => Math.fround(short) === single)
  return formatFloat(shortest ?? single, 'g', -1)
}
