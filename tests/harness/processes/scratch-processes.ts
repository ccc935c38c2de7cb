// Programs of one test in a scratch folder of their own. Both disappear when the test ends.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from '../clusters/cluster.ts'
import { type Processes, processesIn } from '../control-plane/processes.ts'
import { scratchFolder } from './scratch.ts'

export type ScratchProcesses = { readonly dir: string; readonly processes: Processes }

/** No program runs yet. What the test tears down later is torn down before these. */
export function scratchProcesses(t: Pick<TestContext, 'teardown'>): ScratchProcesses {
  const dir = scratchFolder()
  mkdirSync(join(dir, 'logs'))
  const processes = processesIn(dir)
  t.teardown(async () => {
    await processes.stopAll()
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  return { dir, processes }
}
