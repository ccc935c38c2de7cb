// What the API server knows about a kind: where it is served, what may be done with it, and its schema. Built-in and
// custom kinds are both just such rows.
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
  /** The collection its objects are stored in: versions of one kind share it. */
  readonly collection: string
  /** Present on custom kinds. */
  readonly custom?: CustomTraits
  /** The stored object as this version shows it. Absent: as it is. */
  readonly show?: (stored: KubeObject) => KubeObject
  /** An object of this version as it is stored. Absent: as it is. */
  readonly hide?: (shown: KubeObject) => KubeObject
}

/** Fields of a CustomResourceDefinition beyond its schema. */
export type CustomTraits = {
  readonly definition: string
  /** JSON as an object of this version: pruned and defaulted; `unknown` collects what was pruned. */
  readonly read: (value: JsonMap, metadata: ObjectMeta, unknown: string[]) => KubeObject
  /** Faults by the schema; `before` is the object before an update. */
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
