// Files that users name on a command line. A fault names the file and its expected content.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { parseAllDocuments } from 'yaml'
import { isMap, type JsonMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { errorText } from '../../core/text/error-text.ts'
import { readYaml } from '../../core/yaml/read.ts'
import { UsageFault } from './command.ts'

/** The objects of a file, of standard input (`-`), or of all YAML and JSON files of a folder, as in kubectl. */
export const objectsGiven = async (place: string): Promise<KubeObject[]> => {
  if (place === '-' || !statSync(place, { throwIfNoEntry: false })?.isDirectory()) return someObjectsIn(place)
  const files = readdirSync(place)
    .filter(name => /\.(ya?ml|json)$/.test(name))
    .sort()
  if (files.length === 0) throw new UsageFault(`the folder ${place} contains no .yaml, .yml or .json file`)
  const lists = await Promise.all(files.map(name => someObjectsIn(join(place, name))))
  return lists.flat()
}

const someObjectsIn = async (file: string): Promise<KubeObject[]> => {
  const objects = await objectsInFile(file)
  if (objects.length === 0) throw new UsageFault(`${file === '-' ? 'standard input' : file} contains no object`)
  return objects
}

/** The objects of a file or of standard input (`-`). A file of comments has none. */
export const objectsInFile = async (file: string): Promise<KubeObject[]> => {
  const text = file === '-' ? await readAll(process.stdin) : textIn(file)
  const documents = parseAllDocuments(text, { version: '1.1' })
  const [broken] = documents.flatMap(({ errors }) => errors)
  // Omits the rest of the message, which is an excerpt of the file.
  if (broken) throw new UsageFault(`${file} is not valid YAML: ${broken.message.split(':\n')[0]}`)
  const objects = documents.flatMap(document => document.toJS() ?? [])
  const strange = objects.findIndex(object => !isObject(object))
  if (strange >= 0)
    throw new UsageFault(`${file}: document ${strange + 1} is not an object with apiVersion, kind and metadata.name`)
  return objects
}

const isObject = (value: unknown): value is KubeObject =>
  isMap(value) &&
  [value.apiVersion, value.kind, isMap(value.metadata) && value.metadata.name].every(text => typeof text === 'string')

/** The values of a chart. An empty file has none. */
export const valuesIn = (file: string): JsonMap => {
  const values = parsedValues(file) ?? {}
  if (isMap(values)) return values
  throw new UsageFault(`${file} must contain a map of values, such as replicas: 2`)
}

const parsedValues = (file: string): unknown => {
  const text = textIn(file)
  try {
    return readYaml(text)
  } catch (error) {
    throw new UsageFault(`${file} is not valid YAML: ${errorText(error)}`)
  }
}

const textIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageFault(`${file} cannot be read: ${errorText(error)}`)
  }
}
