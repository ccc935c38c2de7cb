// undici's Pool and nothing else of it: the package's index also loads fetch, caches and WebSockets, which cost every
// process 10 MB and nobody here uses.
import type { Pool as PoolClass } from 'undici'
import PoolModule from 'undici/lib/dispatcher/pool.js'

export const Pool: typeof PoolClass = PoolModule
export type Pool = PoolClass
