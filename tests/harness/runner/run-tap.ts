// Runs tap over test files: what people want to read goes to stdout, all of it to a file below .espalier/tap/. tap's own
// --output-file prints every line twice where stdout is no terminal, and its other reporters redraw without end there.
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { startLifelined } from '../processes/bound-processes.ts'
import { compileCache } from './compile-cache.ts'
import { readableTap } from './tap-report.ts'

export type TapRun = {
  /** None: those that .taprc names. */
  files: readonly string[]
  /** Its name below .espalier/tap/. */
  tapFile: string
  options?: readonly string[]
  env?: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, '..', '..', '..')

/** tap's exit code. */
export const runTap = async ({ files, tapFile, options = [], env = {} }: TapRun): Promise<number> => {
  const tap = startLifelined({
    program: process.execPath,
    args: [join(root, 'node_modules', '.bin', 'tap'), 'run', '--reporter=tap', ...options, ...files],
    env: { ...process.env, ...compileCache, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void tap.end(signal, 2))
  if (tap.child.stdout) await report(tap.child.stdout, join(root, '.espalier', 'tap', tapFile))
  const result = await tap.ended
  return typeof result === 'number' ? result : 1
}

const report = async (tap: Readable, file: string): Promise<void> => {
  await mkdir(dirname(file), { recursive: true })
  const copied = pipeline(tap, createWriteStream(file))
  for await (const line of readableTap(createInterface(tap))) process.stdout.write(`${line}\n`)
  await copied
}
