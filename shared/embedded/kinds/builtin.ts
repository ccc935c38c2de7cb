// The built-in kinds, read once from the data files in this folder.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { KubeObject } from '../../core/objects/object.ts'
import type { Kind, Schema, Subresource } from './kind.ts'

type KindRow = Omit<Kind, 'schema' | 'listKind' | 'collection' | 'subresources'> & {
  schema?: string
  subresources?: Subresource[]
}

const rows = (file: string): unknown[] => parsed(readFileSync(join(import.meta.dirname, file), 'utf8'))

const parsed = (lines: string): unknown[] =>
  lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as unknown)

const definitions = new Map(rows('schemas.ndjson') as [string, Schema][])

export const definition = (name: string): Schema => definitions.get(name) ?? {}

/** Name of the schema of a kind. Go's packages are named after the first word of a group. */
export const schemaNameOf = (apiVersion: string, kind: string): string | undefined => {
  const [version = '', group = 'core'] = apiVersion.split('/').reverse()
  const [word = ''] = group.split('.')
  return [
    `io.k8s.api.${word}.${version}.${kind}`,
    `io.k8s.apiextensions-apiserver.pkg.apis.${word}.${version}.${kind}`,
    `io.k8s.kube-aggregator.pkg.apis.${word}.${version}.${kind}`,
    `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`,
  ].find(name => definitions.has(name))
}

/** Descriptions that the schemas lack, by schema name. The descriptions are large, so they are read at the first use. */
export const readDescriptions = (): Map<string, Descriptions> => {
  const packed = readFileSync(join(import.meta.dirname, 'descriptions.ndjson.br'))
  const lines = parsed(brotliDecompressSync(packed).toString()) as [
    string,
    string,
    Descriptions['fields'],
    Descriptions['values'],
  ][]
  return new Map(lines.map(([name, own, fields, values]) => [name, { own, fields, values }]))
}

export type Descriptions = {
  readonly own: string
  readonly fields: Readonly<Record<string, string>>
  /** Possible values of a field or of its items. The values are published but not checked. */
  readonly values: Readonly<Record<string, readonly string[]>>
}

export const objectMetaName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'

/** Kinds that several groups serve from one collection. */
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

/** Events are stored as core/v1. Fields with different names in core/v1 and events.k8s.io/v1. */
const eventFields: readonly (readonly [core: string, v1: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
]

const renamed = (object: KubeObject, apiVersion: string, to: ReadonlyMap<string, string>): KubeObject => {
  const { kind, apiVersion: _, metadata, ...fields } = object
  const entries = Object.entries(fields).map(([field, value]) => [to.get(field) ?? field, value])
  return { kind, apiVersion, metadata, ...Object.fromEntries(entries) }
}

const fromCore = new Map(eventFields)
const toCore = new Map(eventFields.map(([core, v1]) => [v1, core]))

const eventVersion = (group: string, plural: string): Pick<Kind, 'show' | 'hide'> =>
  group === 'events.k8s.io' && plural === 'events'
    ? {
        show: stored => renamed(stored, 'events.k8s.io/v1', fromCore),
        hide: shown => renamed(shown, 'v1', toCore),
      }
    : {}

export const builtinKinds: readonly Kind[] = (rows('kinds.ndjson') as KindRow[]).map(kindOf)
