// Where the processes of tests keep code that Node has compiled: hundreds of them load the same files, and only the first must compile them. It is in
// node_modules, so that `npm ci` empties it. Node itself notices changed files.
import { join } from 'node:path'

/** A variable for the environment of a process. */
export const compileCache = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'espalier-compile'),
}
