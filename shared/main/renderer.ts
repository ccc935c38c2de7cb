// The renderer: renders charts and kustomizations for the host that started it, and for nobody else. It reads no settings, no
// files and no network; see shared/runtime/renderer for how it is kept.
import process from 'node:process'
import { serveRenderings } from '../runtime/renderer/program.ts'

serveRenderings(process)
