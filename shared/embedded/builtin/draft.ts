// Sets defaults, by a table or by functions. A draft is a new record of one request, so it is changed in place.
//
//   defaultsAt({ 'spec!': { replicas: 1 }, 'spec.ports[]': { protocol: 'TCP' } }) // `!` creates a missing map, `[]` means each item
import { isMap, type JsonMap } from '../value.ts'

export const fill = (draft: JsonMap, defaults: JsonMap): void => {
  for (const [field, value] of Object.entries(defaults))
    if (draft[field] === undefined || draft[field] === null)
      draft[field] = typeof value === 'object' ? structuredClone(value) : value
}

/** Fills the maps at these paths, in the order of the rows. */
export const defaultsAt = (rows: Readonly<Record<string, JsonMap>>): ((draft: JsonMap) => void) => {
  const paths = Object.entries(rows).map(([path, defaults]) => ({ steps: path.split('.'), defaults }))
  return draft => {
    for (const { steps, defaults } of paths) for (const map of mapsAt(draft, steps)) fill(map, defaults)
  }
}

const mapsAt = (draft: JsonMap, steps: readonly string[]): JsonMap[] =>
  steps.reduce((maps, step) => maps.flatMap(map => mapsOfStep(map, step)), [draft])

const mapsOfStep = (draft: JsonMap, step: string): JsonMap[] => {
  if (step.endsWith('[]')) return each(draft, step.slice(0, -2))
  if (step.endsWith('!')) return [ensured(draft, step.slice(0, -1))]
  return step === '' ? [draft] : [inner(draft, step) ?? []].flat()
}

export const inner = (draft: JsonMap | undefined, field: string): JsonMap | undefined => {
  const value = draft?.[field]
  return isMap(value) ? value : undefined
}

export const ensured = (draft: JsonMap, field: string): JsonMap => {
  const found = inner(draft, field)
  if (found) return found
  const made: JsonMap = {}
  draft[field] = made
  return made
}

export const each = (draft: JsonMap | undefined, field: string): JsonMap[] => {
  const value = draft?.[field]
  return Array.isArray(value) ? value.filter(isMap) : []
}
