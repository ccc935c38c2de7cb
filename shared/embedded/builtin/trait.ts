// Special behaviour of built-in kinds; the table in traits.ts gives it to kinds.
import type { KubeObject } from '../../core/objects/object.ts'
import type { NameCheck } from '../names.ts'
import type { FieldFault } from '../status.ts'

export type Traits = {
  /** Sets what a given object leaves out; the draft is fresh and may be changed. */
  readonly defaults?: (draft: KubeObject) => void
  /** The last changes before an object is first stored. */
  readonly onCreate?: (draft: KubeObject) => void
  /** The last changes before an update is stored; fields a client cannot change are put back. */
  readonly onUpdate?: (draft: KubeObject, before: KubeObject) => void
  readonly faults?: (object: KubeObject) => FieldFault[]
  readonly updateFaults?: (object: KubeObject, before: KubeObject) => FieldFault[]
  readonly nameFaults?: NameCheck
  /** The fields whose change counts up metadata.generation; absent: the kind has no generation. */
  readonly generationOf?: readonly string[]
  readonly keepsStatusOnCreate?: boolean
  readonly createsOnUpdate?: boolean
  readonly needsResourceVersion?: boolean
  /** A delete answers with the object instead of a Status. */
  readonly answersDeleted?: boolean
  /** Labels can be written through the status. */
  readonly statusTakesLabels?: boolean
  /** How objects are deleted when the client does not say; `None`: no dependent is looked for, whatever the client says. */
  readonly propagation?: 'Orphan' | 'None'
  /** A deleted object shows when it ended, even if that is now. */
  readonly endsInTime?: boolean
}
