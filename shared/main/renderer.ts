// The renderer: renders charts and kustomizations only for the host that started it. It reads no settings, no files and no network.
// shared/runtime/renderer starts and stops renderers.
import process from 'node:process'
import { serveRenderings } from '../runtime/renderer/program.ts'

serveRenderings(process)
