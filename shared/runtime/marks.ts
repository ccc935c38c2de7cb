// Marks of objects that a call found in order. A quiet call, one that only the time brought about, reads less of an object with a mark. A
// mark lasts half an hour at most; a process that has lost it reads everything.
//
//   10:00  a call for Manifest a/b reads twelve objects in the runtime and finds nothing to do: it leaves a mark
//   10:05  a quiet call finds the mark, and the Manifest in the same resourceVersion: nothing is read in the runtime
//   10:07  somebody changes one of the twelve: the relay's call is not quiet, the mark is forgotten, and everything is read
import { createHash } from 'node:crypto'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { type KubeObject, keyOf, keyText } from '../core/objects/object.ts'

export type Marks = {
  /** What the id's mark was left for; undefined where it has none. */
  of(id: string): string | undefined
  begin(id: string): Look
  /** An event about the id came. A look that has begun may have missed it, and leaves no mark. */
  forget(id: string): void
}

/** A call that reads everything of an object, because it found no mark of use. */
type Look = { leave(judgedBy: string): void }

const lastsMilliseconds = 30 * 60_000
const marksMost = 50_000

type Mark = { readonly until: number; judgedBy?: string }

/** `now`: monotonic milliseconds. */
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
  /** It may be in order: it is worth asking what it is judged by. */
  hasMark(object: KubeObject): boolean
  /**
   * The object was found in order half an hour ago or less. Since then no event came for it, and it was judged by the same facts. A fact
   * of a Kyma, for example, is the resourceVersion of its copy in the runtime.
   */
  isInOrder(object: KubeObject, judgedBy: readonly unknown[]): boolean
  /** Called before everything is read. `judgedBy` gets the facts by which the object is judged; `markInOrder` then leaves the mark. */
  begin(object: KubeObject): { judgedBy(facts: readonly unknown[]): void }
  /** Marks the object, because a pass found nothing to do. For PassScope. */
  markInOrder(): void
}

type Call = { readonly memory: { readonly marks: Marks }; readonly isQuiet?: boolean }

export const markingFor = (functionName: string, { memory, isQuiet = false }: Call): Marking => {
  const idOf = (object: KubeObject) => markId(functionName, keyText(keyOf(object)))
  let leave = () => {}
  return {
    hasMark: object => isQuiet && memory.marks.of(idOf(object)) !== undefined,
    isInOrder: (object, judgedBy) => isQuiet && memory.marks.of(idOf(object)) === digestOf(object, judgedBy),
    begin: object => {
      const look = memory.marks.begin(idOf(object))
      leave = () => {}
      return {
        judgedBy: facts => {
          leave = () => look.leave(digestOf(object, facts))
        },
      }
    },
    markInOrder: () => leave(),
  }
}

/** The object itself always counts. */
const digestOf = ({ metadata: { uid, resourceVersion } }: KubeObject, facts: readonly unknown[]): string =>
  createHash('sha256')
    .update(JSON.stringify([uid, resourceVersion, facts]))
    .digest('base64')
