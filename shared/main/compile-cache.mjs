// Preloaded by `npm start`: Node keeps what it has compiled of the sources, so that the next start is ready sooner.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'espalier'))
