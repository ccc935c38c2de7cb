// Marks objects that a call found in order. A quiet (only periodic) call reads less for a marked object. A mark lasts at most half an hour.
// Without a mark, a call reads everything.
//
// 10:00 a call for Manifest a/b reads twelve objects in the runtime and changes nothing, so the call leaves a mark 10:05 a quiet call finds
// the mark and the same resourceVersion of the Manifest, so it reads nothing in the runtime 10:07 one of the twelve objects changes: the
// call for this event drops the mark and reads everything
import { createHash } from 'node:crypto'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { type KubeObject, keyOf, keyText } from '../core/objects/object.ts'

export type Marks = {
  /** The facts of the mark; undefined without a mark. */
  of(id: string): string | undefined
  begin(id: string): Look
  /** Call for each event. A running look may have missed the event, and therefore leaves no mark. */
  forget(id: string): void
}

/** A call that reads everything, because it found no usable mark. */
type Look = { leave(judgedBy: string): void }

const lastsMilliseconds = 30 * 60_000
const marksMost = 50_000

type Mark = { readonly until: number; judgedBy?: string }

export const marks = (now: () => number = () => performance.now()): Marks => {
  const all = new BoundedCache<string, Mark>(marksMost)
  return {
    of: id => {
      const mark = all.get(id)
      return mark && now() < mark.until ? mark.judgedBy : undefined
    },
    begin: id => {
      const mark: Mark = { until: now() + lastsMilliseconds }
      all.set(id, mark)
      return {
        leave: judgedBy => {
          mark.judgedBy = judgedBy
        },
      }
    },
    forget: id => all.delete(id),
  }
}

export const markId = (functionName: string, key: string): string => `${functionName} ${key}`

export type Marking = {
  /** Whether a mark exists, so that reading the facts may be worthwhile. */
  hasMark(object: KubeObject): boolean
  /**
   * Whether the object was found in order at most half an hour ago, with the same facts, and no event arrived since then. Example of a
   * fact: the resourceVersion of a Kyma's copy in the runtime.
   */
  isInOrder(object: KubeObject, judgedBy: readonly unknown[]): boolean
  /** Call before reading everything. `judgedBy` sets the facts for the mark; `markInOrder` leaves the mark. */
  begin(object: KubeObject): { judgedBy(facts: readonly unknown[]): void }
  /** The function of this name in PassScope. `object` may be newer than in `begin`, because our own write changed it. */
  markInOrder(object: KubeObject): void
}

type Call = { readonly memory: { readonly marks: Marks }; readonly isQuiet?: boolean }

export const markingFor = (functionName: string, { memory, isQuiet = false }: Call): Marking => {
  const idOf = (object: KubeObject) => markId(functionName, keyText(keyOf(object)))
  let leave = (_: KubeObject) => {}
  return {
    hasMark: object => isQuiet && memory.marks.of(idOf(object)) !== undefined,
    isInOrder: (object, judgedBy) => isQuiet && memory.marks.of(idOf(object)) === digestOf(object, judgedBy),
    begin: object => {
      const look = memory.marks.begin(idOf(object))
      leave = () => {}
      return {
        judgedBy: facts => {
          leave = found => look.leave(digestOf(found, facts))
        },
      }
    },
    markInOrder: object => leave(object),
  }
}

/** The object's version is always part of the facts. */
const digestOf = ({ metadata: { uid, resourceVersion } }: KubeObject, facts: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify([uid, resourceVersion, facts]))
    .digest('base64')
