// Finds dependents that another client changed, and the name of this client. managedFields are read only for changed dependents.
import type { FieldChange } from '../../core/json/field-changes.ts'
import { isMap, isText, type JsonMap } from '../../core/json/json.ts'
import { type KubeObject, type ObjectRef, refOf } from '../../core/objects/object.ts'
import { causeOf, isHeld } from '../applied/write-cause.ts'
import { declared } from '../declared/declared-dependents.ts'
import { isRegular } from '../declared/dependent.ts'
import { itemKey, objectKey } from '../inventory/item.ts'
import type { World } from '../world.ts'

/** The first `most` dependents that will be repaired, because reports contain no more. Leaves out objects whose managedFields are known. */
export const driftedRefs = (world: World, now: Date, most: number): ObjectRef[] => {
  const items = new Map(world.items.map(item => [itemKey(item), item]))
  const found: ObjectRef[] = []
  for (const dependent of world.goal === 'apply' ? declared(world).dependents.filter(isRegular) : []) {
    if (found.length === most) break
    const key = objectKey(dependent.object)
    const [item, live] = [items.get(key), world.observed.live.get(key)]
    if (!item || !live || live.metadata.managedFields) continue
    const present = { world, now, dependent, item, live }
    if (causeOf(present) === 'drift' && !isHeld(present)) found.push(refOf(live))
  }
  return found
}

/** For example `kubectl-edit at 2026-03-01T08:00:00Z`; undefined when unknown, for example after a field was removed. */
export const writerOf = (live: KubeObject, changes: readonly FieldChange[]): string | undefined => {
  const entries = (live.metadata.managedFields ?? []).filter(isMap).filter(({ subresource }) => !subresource)
  const writers = new Set(changes.flatMap(({ path }) => writersAt(stepsIn(path), entries)))
  const texts = [...writers].map(({ manager, time }) => `${manager}${isText(time) ? ` at ${time}` : ''}`)
  return texts.length > 0 ? texts.join(' and ') : undefined
}

/** The entries whose field sets contain the longest part of the path. An entry may own only the map, or the map with all its fields. */
const writersAt = (steps: readonly string[], entries: readonly JsonMap[]): JsonMap[] => {
  const depths = entries.map(({ fieldsV1 }) => (isMap(fieldsV1) ? depthOf(fieldsV1, steps) : 0))
  const deepest = Math.max(0, ...depths)
  return entries.filter((_, at) => deepest > 0 && depths[at] === deepest)
}

/** `spec.containers[app].image` → spec, containers, app, image; `metadata.labels["a/b"]` → metadata, labels, a/b */
const stepsIn = (path: string): string[] =>
  [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[\]]+/g)].map(([whole, quoted]) => quoted ?? whole)

/** The number of steps of the path that the set contains. An empty set owns the whole value below. */
const depthOf = (fields: JsonMap, [step, ...more]: readonly string[], depth = 0): number => {
  const parts = Object.entries(fields)
  if (step === undefined || parts.length === 0) return depth
  const name = `"name":${JSON.stringify(step)}`
  const next = parts.find(([part]) => part === `f:${step}` || (part.startsWith('k:') && part.includes(name)))
  return next !== undefined && isMap(next[1]) ? depthOf(next[1], more, depth + 1) : 0
}
