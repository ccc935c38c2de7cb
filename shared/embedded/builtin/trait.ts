// The type of special behaviour of built-in kinds. traits.ts has the table.
import type { KubeObject } from '../../core/objects/object.ts'
import type { NameCheck } from '../names.ts'
import type { FieldFault } from '../status.ts'

export type Traits = {
  readonly defaults?: (draft: KubeObject) => void
  readonly onCreate?: (draft: KubeObject) => void
  /** Makes the last changes before an update is stored. Restores fields that a client cannot change. */
  readonly onUpdate?: (draft: KubeObject, before: KubeObject) => void
  readonly faults?: (object: KubeObject) => FieldFault[]
  readonly updateFaults?: (object: KubeObject, before: KubeObject) => FieldFault[]
  readonly nameFaults?: NameCheck
  /** A change of these fields increments metadata.generation. If absent, the kind has no generation. */
  readonly generationOf?: readonly string[]
  readonly keepsStatusOnCreate?: boolean
  readonly createsOnUpdate?: boolean
  readonly needsResourceVersion?: boolean
  readonly answersDeleted?: boolean
  /** A write of the status may change labels. */
  readonly statusTakesLabels?: boolean
  /** Used if the client sets no propagation. With `None`, dependents are always ignored. */
  readonly propagation?: 'Orphan' | 'None'
  /** If true, a deleted object gets a deletion time even if it is removed at once. */
  readonly endsInTime?: boolean
}
