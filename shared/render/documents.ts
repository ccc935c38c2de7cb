// Objects in YAML documents: in the output of a template, and in one layer of a module, which is a YAML file or the first file of a tar archive,
// gzipped or not. A list is replaced by its items. Layers come from registries, so unpack.ts limits their size and checks archives.
import { rethrown } from '../core/decisions/reading.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../core/json/json.ts'
import type { KubeObject } from '../core/objects/object.ts'
import { readYaml, YamlError } from '../core/yaml/read.ts'
import { type At, lineBreaks, RenderError } from './generator.ts'
import { type ArchiveLimits, filesInTar, gunzipped } from './unpack.ts'

/** File and line where the object's document begins. `list`: annotations of the list that contains the object. */
export type Written = { readonly file: string; readonly line: number; readonly list?: JsonMap }

/** The objects in the order of the file. A document that contains only comments gives no object. */
const objectsIn = (text: string, path: string): KubeObject[] => writtenIn(text, path).map(([object]) => object)

export const writtenIn = (text: string, path: string): (readonly [KubeObject, Written])[] =>
  documents(text).flatMap(document => {
    const content = contentOf(document, path)
    if (content === null) return []
    const { line } = document
    if (!isMap(content))
      throw noObject(`YAML parse error on ${path}: line ${line}: the document is not a map`, path, line)
    const place = { file: path, line, ...(Array.isArray(content.items) && { list: annotationsIn(content) }) }
    return flattened(content).map(object => [checked(object, path, line), place] as const)
  })

type Document = { readonly text: string; readonly line: number }

const documents = (text: string): Document[] => {
  let line = 1
  return text.split(/((?:^|\n)---\s*)/).flatMap((part, index) => {
    const content = part.trimStart()
    const begin = line + lineBreaks(part.slice(0, part.length - content.length))
    line += lineBreaks(part)
    const isSeparator = index % 2 === 1
    return isSeparator || content === '' ? [] : [{ text: endedOnce(content), line: begin }]
  })
}

/** The text with one line break at its end. Uses a slice if possible, because reading a concatenated string is slower. */
const endedOnce = (text: string): string => {
  const end = text.trimEnd().length
  return text[end] === '\n' ? text.slice(0, end + 1) : `${text.slice(0, end)}\n`
}

const contentOf = ({ text, line: begin }: Document, path: string): unknown =>
  rethrown(
    YamlError,
    () => readYaml(text),
    fault => {
      const line = begin + fault.line - 1
      const blame = { kind: 'yaml', file: path, line } as const
      return new RenderError(`YAML parse error on ${path}: line ${line}: ${fault.fault}`, { blame })
    },
  )

/** kubectl treats every object with `items` as a list. Items of a `RoleList` without a kind get the kind `Role` and the list's version. */
const flattened = (object: JsonMap): JsonMap[] => {
  const { items, apiVersion, kind } = object
  if (!Array.isArray(items)) return [object]
  const itemKind = typeof kind === 'string' && kind !== 'List' && kind.endsWith('List') ? kind.slice(0, -4) : undefined
  const inherited = itemKind === undefined ? {} : { apiVersion, kind: itemKind }
  return items.filter(isMap).flatMap(item => flattened({ ...inherited, ...item }))
}

const annotationsIn = ({ metadata }: JsonMap): JsonMap => mapOrEmpty(mapOrEmpty(metadata).annotations)

const checked = (object: JsonMap, path: string, line: number): KubeObject => {
  const { apiVersion, kind, metadata = {} } = object
  const missing = Object.entries({ apiVersion, kind }).find(([, value]) => typeof value !== 'string' || value === '')
  const at = `${path}: line ${line}`
  if (missing) throw noObject(`${at}: an object has no ${missing[0]}`, path, line)
  if (!isMap(metadata)) throw noObject(`${at}: metadata of ${kind} is not a map`, path, line)
  const wrong = texts(metadata).find(([, value]) => value !== null && typeof value !== 'string')
  if (wrong) throw noObject(`${at}: metadata of ${kind}: ${wrong[0]} is not a string`, path, line)
  return { ...object, metadata } as KubeObject
}

const noObject = (message: string, file: string, line: number): RenderError =>
  new RenderError(message, { blame: { kind: 'object', file, line } })

const texts = ({ name = null, annotations }: JsonMap): [what: string, value: unknown][] => [
  ['name', name],
  ...(isMap(annotations)
    ? Object.entries(annotations).map(([key, value]): [string, unknown] => [`annotation ${key}`, value])
    : [['annotations', annotations ?? null] satisfies [string, unknown]]),
]

export const layerTypes = ['oci-ref', 'oci-dir'] as const
export type LayerType = (typeof layerTypes)[number]

const limits: ArchiveLimits = { bytes: 128 * 2 ** 20, entries: 10_000 }

export const layerObjects = (layer: Uint8Array, type: LayerType, at?: At): readonly KubeObject[] => {
  const { path, content } = files[type](isGzipped(layer) ? gunzipped(layer, limits) : layer)
  at?.(path)
  const objects = objectsIn(textOf(content), path)
  if (objects.length === 0) throw new RenderError(`${path} contains no objects`)
  return objects
}

type File = { readonly path: string; readonly content: Uint8Array }

const files: Readonly<Record<LayerType, (unpacked: Uint8Array) => File>> = {
  'oci-ref': content => ({ path: 'the layer', content }),
  'oci-dir': archive => {
    for (const { name, content } of filesInTar(archive, limits)) if (!isOfFinder(name)) return { path: name, content }
    throw new RenderError('the archive contains no file')
  },
}

/** Whether macOS added the file: macOS adds a file `._NAME` beside each file NAME. */
const isOfFinder = (path: string): boolean => path.split('/').at(-1)?.startsWith('._') ?? false

const isGzipped = (layer: Uint8Array): boolean => layer[0] === 0x1f && layer[1] === 0x8b

const textOf = (content: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    throw new RenderError('the layer is not UTF-8 text')
  }
}
