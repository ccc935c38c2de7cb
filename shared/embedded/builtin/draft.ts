// Sets defaults, by a table or by functions. A draft belongs to one request, so the draft is changed in place.
//
//   defaultsAt({ 'spec!': { replicas: 1 }, 'spec.ports[]': { protocol: 'TCP' } }) // `!` creates a missing map, `[]` means each item
import { fieldsAt, type JsonMap, mapsAt } from '../value.ts'

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
