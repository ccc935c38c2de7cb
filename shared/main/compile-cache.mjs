// Preloaded by `npm start`: Node stores the compiled sources, so that the next start is faster.
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'espalier'))
