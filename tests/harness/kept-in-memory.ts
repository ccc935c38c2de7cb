// How many of some objects are still in memory. To count all of their class takes seconds in a process that has many objects.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

export const keptOf = async (objects: readonly WeakRef<object>[]): Promise<number> => {
  // What a turn has made is kept until its end.
  await nextTurn()
  collectGarbage()
  return objects.filter(object => object.deref() !== undefined).length
}
