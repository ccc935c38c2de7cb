// The type of special behaviour of built-in kinds (traits.ts has the table), and defaults by a table. A draft belongs to one request, so
// the draft is changed in place.
//
//   defaultsAt({ 'spec!': { replicas: 1 }, 'spec.ports[]': { protocol: 'TCP' } }) // `!` creates a missing map, `[]` means each item
import type { KubeObject } from '../../core/objects/object.ts'
import type { NameCheck } from '../names.ts'
import type { FieldFault } from '../status.ts'
import { fieldsAt, type JsonMap, mapsAt } from '../value.ts'

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

export const fill = (draft: JsonMap, defaults: JsonMap): void => {
  for (const [field, value] of Object.entries(defaults))
    if (draft[field] === undefined || draft[field] === null)
      draft[field] = typeof value === 'object' ? structuredClone(value) : value
}

/** Fills the maps at these paths, in the order of the rows. */
export const defaultsAt = (rows: Readonly<Record<string, JsonMap>>): ((draft: JsonMap) => void) => {
  const paths = Object.entries(rows).map(([path, defaults]) => ({ steps: path.split('.'), defaults }))
  return draft => {
    for (const { steps, defaults } of paths) for (const map of mapsOf(draft, steps)) fill(map, defaults)
  }
}

const mapsOf = (draft: JsonMap, steps: readonly string[]): JsonMap[] =>
  steps.reduce((maps, step) => maps.flatMap(map => mapsOfStep(map, step)), [draft])

const mapsOfStep = (draft: JsonMap, step: string): JsonMap[] => {
  if (step.endsWith('[]')) return mapsAt(draft, step.slice(0, -2))
  if (step.endsWith('!')) return [ensured(draft, step.slice(0, -1))]
  return step === '' ? [draft] : [fieldsAt(draft, step) ?? []].flat()
}

export const ensured = (draft: JsonMap, field: string): JsonMap => {
  const found = fieldsAt(draft, field)
  if (found) return found
  const made: JsonMap = {}
  draft[field] = made
  return made
}
