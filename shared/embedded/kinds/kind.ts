// The properties of a kind: its path, its verbs and its schema. Custom kinds have the same type as built-in kinds.
import type { KubeObject, ObjectMeta } from '../../core/objects/object.ts'
import type { FieldFault } from '../status.ts'
import type { JsonMap } from '../value.ts'
import type { Schema } from './schema.ts'

export type Subresource = { name: string; group: string; version: string; kind: string; verbs: string[] }

export type Kind = {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames?: string[]
  readonly categories?: string[]
  readonly namespaced: boolean
  readonly verbs: string[]
  readonly subresources: readonly Subresource[]
  readonly schema?: Schema
  /** All versions of a kind share a collection. */
  readonly collection: string
  readonly custom?: CustomTraits
  readonly show?: (stored: KubeObject) => KubeObject
  /** The reverse of `show`. */
  readonly hide?: (shown: KubeObject) => KubeObject
}

export type CustomTraits = {
  readonly definition: string
  /** Prunes unknown fields and sets defaults. `unknown` receives the paths of pruned fields. */
  readonly read: (value: JsonMap, metadata: ObjectMeta, unknown: string[]) => KubeObject
  /** Faults that the schema finds. `before` is the object before an update. */
  readonly faults: (object: KubeObject, subresource: string, before?: KubeObject) => FieldFault[]
  readonly scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string }
  readonly printerColumns: readonly PrinterColumn[]
  readonly selectableFields: readonly string[]
}

export type PrinterColumn = {
  name: string
  type: string
  format?: string
  description?: string
  priority?: number
  jsonPath: string
}

export const subresourceOf = (kind: Kind, name: string): Subresource | undefined =>
  kind.subresources.find(subresource => subresource.name === name)

export const hasStatus = (kind: Kind): boolean => subresourceOf(kind, 'status') !== undefined

export const storageKey = (kind: Kind, namespace: string, name: string): string =>
  kind.namespaced ? `${namespace}/${name}` : name
