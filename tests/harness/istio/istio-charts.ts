// Istio's own charts from its source tree, out of its Go module. `go mod download` fetches them once per machine, and they are kept beside the
// programs of tests. No release has a module, so this is the tree between 1.30 and 1.31.
import { execFile } from 'node:child_process'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cachedFolder } from '../control-plane/cache.ts'

const version = 'v0.0.0-20260827124520-eed52ebb66ad'
const sum = 'h1:ui9TJjRMAV/hb5ehQaZDq7IUGxuQP6dra9lapT/VjHI='

/** The folder of the charts, such as `base`. */
export const officialCharts = (): Promise<string> =>
  cachedFolder(`istio-charts-${version}`, async draft => {
    const asked = ['mod', 'download', '-json', `istio.io/istio@${version}`]
    const env = { ...process.env, GOFLAGS: '', GOWORK: 'off' }
    const { stdout } = await promisify(execFile)('go', asked, { cwd: draft, env })
    const found = JSON.parse(stdout) as { Dir: string; Sum: string }
    if (found.Sum !== sum) throw new Error(`istio.io/istio ${version} has the sum ${found.Sum}, not ${sum}`)
    await cp(join(found.Dir, 'manifests', 'charts'), draft, { recursive: true })
  })
