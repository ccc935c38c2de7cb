// Files of YAML objects that every ground asks for: roles and definitions. Each is read and parsed once.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../shared/core/objects/object.ts'

const known = new Map<string, Promise<readonly KubeObject[]>>()

/** The objects in this file. */
export const documents = (path: string): Promise<readonly KubeObject[]> => {
  const objects = known.get(path) ?? read(path)
  known.set(path, objects)
  return objects
}

const read = async (path: string): Promise<readonly KubeObject[]> => {
  if (!existsSync(path)) throw new Error(`${path} is not there: npm run generate`)
  return parseAllDocuments(await readFile(path, 'utf8')).flatMap(document => document.toJS() ?? [])
}
