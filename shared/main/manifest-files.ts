// Files below manifests/, read as kubectl reads them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../core/objects/object.ts'

export const manifestsFolder = join(import.meta.dirname, '..', '..', 'manifests')

export const objectsIn = (file: string): KubeObject[] =>
  parseAllDocuments(readFileSync(file, 'utf8'), { version: '1.1' }).map(document => document.toJS() as KubeObject)
