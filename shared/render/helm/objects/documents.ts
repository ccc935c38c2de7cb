// Splits the output of a template into documents and reads the documents as objects. A list is replaced by its items.
import { isMap, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { readYaml, YamlError } from '../../../core/yaml/read.ts'
import { lineBreaks } from '../../blame.ts'
import { RenderError } from '../../generator.ts'

/** File and line where the object's document begins. `list`: annotations of the list that contains the object. */
export type Written = { readonly file: string; readonly line: number; readonly list?: JsonMap }

/** The objects in the order of the file. A document that contains only comments gives no object. */
export const objectsIn = (text: string, path: string): KubeObject[] => writtenIn(text, path).map(([object]) => object)

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

const contentOf = ({ text, line }: Document, path: string): unknown => {
  try {
    return readYaml(text)
  } catch (error) {
    if (!(error instanceof YamlError)) throw error
    const place = line + error.line - 1
    throw new RenderError(`YAML parse error on ${path}: line ${place}: ${error.fault}`, {
      blame: { kind: 'yaml', file: path, line: place },
    })
  }
}

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
