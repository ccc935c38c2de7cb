// Where the renderer lies: beside the program that starts it, as source beside sources and as bundle beside bundles.
import { extname, join } from 'node:path'

export const rendererProgram = join(import.meta.dirname, `renderer${extname(import.meta.filename)}`)
