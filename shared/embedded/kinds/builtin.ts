// The built-in kinds, read once from the data files beside this one.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventVersion } from '../builtin/event-versions.ts'
import type { Kind, Subresource } from './kind.ts'
import type { Schema } from './schema.ts'

type KindRow = Omit<Kind, 'schema' | 'listKind' | 'collection' | 'subresources'> & {
  schema?: string
  subresources?: Subresource[]
}

const rows = (file: string): unknown[] =>
  readFileSync(join(import.meta.dirname, file), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as unknown)

const definitions = new Map(rows('schemas.ndjson') as [string, Schema][])

/** A built-in schema by its full name, e.g. io.k8s.api.core.v1.Pod. */
export const definition = (name: string): Schema => definitions.get(name) ?? {}

export const definitionNames = (): string[] => [...definitions.keys()]

/** Follows a reference; siblings of `$ref` stay with the place that refers. */
export const resolved = (schema: Schema): Schema => (schema.$ref ? definition(schema.$ref) : schema)

export const objectMetaName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

/** Kinds that several groups or versions serve from one collection. */
const sharedCollections: Record<string, string> = { 'events.k8s.io/events': 'events' }

const kindOf = (row: KindRow): Kind => {
  const path = row.group ? `${row.group}/${row.plural}` : row.plural
  return {
    ...row,
    listKind: `${row.kind}List`,
    subresources: row.subresources ?? [],
    schema: row.schema ? { $ref: row.schema } : undefined,
    collection: sharedCollections[path] ?? path,
    ...eventVersion(row.group, row.plural),
  }
}

export const builtinKinds: readonly Kind[] = (rows('kinds.ndjson') as KindRow[]).map(kindOf)
