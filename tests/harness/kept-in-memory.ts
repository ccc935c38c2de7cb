// How many of these objects are still in memory. Counting all objects of their class takes seconds in a process that has many objects.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

export const keptOf = async (objects: readonly WeakRef<object>[]): Promise<number> => {
  // A turn of the event loop keeps what it has made until its end.
  await nextTurn()
  collectGarbage()
  return objects.filter(object => object.deref() !== undefined).length
}
