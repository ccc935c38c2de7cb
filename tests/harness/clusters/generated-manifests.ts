// Generated manifests as objects.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

/** The objects of a file below `manifests`. */
export const generatedObjects = (...path: string[]): KubeObject[] =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, '../../../manifests', ...path), 'utf8')).flatMap(
    document => (document.toJS() as KubeObject | null) ?? [],
  )
