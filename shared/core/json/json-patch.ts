// Makes the JSON patch (RFC 6902) from one document to another. Lists are compared element by element after their common beginning and end
// are cut off. This takes linear time. Finding the shortest patch would take quadratic time, so callers could block the process.
import { isDeepStrictEqual } from 'node:util'
import { isMap, type JsonMap } from './json.ts'

export type PatchOperation = { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string }

/** The operations in the order in which they apply; none when the documents are equal. */
export const jsonPatch = (before: unknown, after: unknown, path = ''): PatchOperation[] => {
  if (Object.is(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) return listPatch(before, after, path)
  if (isMap(before) && isMap(after)) return mapPatch(before, after, path)
  return [{ op: 'replace', path, value: after }]
}

const mapPatch = (before: JsonMap, after: JsonMap, path: string): PatchOperation[] => [
  ...Object.keys(before)
    .filter(key => !has(after, key))
    .map(key => ({ op: 'remove' as const, path: `${path}/${escaped(key)}` })),
  ...Object.keys(after)
    .filter(key => after[key] !== undefined)
    .flatMap(key =>
      Object.hasOwn(before, key)
        ? jsonPatch(before[key], after[key], `${path}/${escaped(key)}`)
        : [{ op: 'add' as const, path: `${path}/${escaped(key)}`, value: after[key] }],
    ),
]

const listPatch = (before: unknown[], after: unknown[], path: string): PatchOperation[] => {
  const head = commonLength(before, after, index => index)
  const [oldRest, newRest] = [before.slice(head), after.slice(head)]
  const tail = commonLength(oldRest, newRest, (index, list) => list.length - 1 - index)
  const oldMiddle = oldRest.slice(0, oldRest.length - tail)
  const newMiddle = newRest.slice(0, newRest.length - tail)
  const shared = Math.min(oldMiddle.length, newMiddle.length)
  const changed = newMiddle
    .slice(0, shared)
    .flatMap((value, i) => jsonPatch(oldMiddle[i], value, `${path}/${head + i}`))
  const added = newMiddle
    .slice(shared)
    .map((value, i) => ({ op: 'add' as const, path: `${path}/${head + shared + i}`, value }))
  const removed = oldMiddle.slice(shared).map(() => ({ op: 'remove' as const, path: `${path}/${head + shared}` }))
  return [...changed, ...removed, ...added]
}

/** The number of equal elements at one end of both lists. `at` counts from this end. */
const commonLength = (a: unknown[], b: unknown[], at: (index: number, list: unknown[]) => number): number => {
  const longest = Math.min(a.length, b.length)
  let length = 0
  while (length < longest && isDeepStrictEqual(a[at(length, a)], b[at(length, b)])) length++
  return length
}

const has = (map: JsonMap, key: string): boolean => Object.hasOwn(map, key) && map[key] !== undefined

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
