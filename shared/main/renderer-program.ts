// The path of the renderer program: beside the program that starts it, as source or as bundle.
import { extname, join } from 'node:path'

export const rendererProgram = join(import.meta.dirname, `renderer${extname(import.meta.filename)}`)
