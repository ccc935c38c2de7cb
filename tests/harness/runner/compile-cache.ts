// Where the processes of tests keep what Node has compiled: hundreds of them load the same files, and all but the first need not
// compile them again. Lies in node_modules, so that `npm ci` empties it; Node itself notices files that have changed.
import { join } from 'node:path'

/** For the environment of a process. */
export const compileCache = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'espalier-compile'),
}
