// The host and the relay as real processes: whoever is killed is started again, as a kubelet would. Whoever ends by
// itself is not, for that is a fault.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type LifelinedProcess, startLifelined } from '../harness/processes/bound-processes.ts'
import { compileCache } from '../harness/runner/compile-cache.ts'
import { usualSeconds } from '../harness/until.ts'

export type Program = {
  /** As `kill -9` does; another process takes its place. */
  kill(): void
  /** How often it was killed. */
  kills(): number
  /** The most memory any of its processes has held so far. */
  peakMebibytes(): number
  /** Those that ended without being killed. */
  readonly deaths: readonly string[]
  /** What it tells at /metrics; undefined while it is not there. */
  metrics(): Promise<string | undefined>
  /** Asks it to end, and answers its exit code. */
  stop(): Promise<number | NodeJS.Signals>
}

export type ProgramOptions = {
  /** Below shared/main. */
  script: string
  args: readonly string[]
  env: Record<string, string>
  /** Where it tells that it lives. */
  url: string
  /** Everything it writes. */
  said: string[]
}

const main = join(import.meta.dirname, '..', '..', 'shared', 'main')

/** Resolves when it lives. */
export const startProgram = async (options: ProgramOptions): Promise<Program> => {
  const state = { kills: 0, peak: 0, isWanted: true, deaths: [] as string[], process: run(options) }
  const keepUp = async (): Promise<void> => {
    while (state.isWanted) {
      const { ended, isKilled } = state.process
      const code = await ended
      if (!state.isWanted) return
      if (!isKilled()) {
        state.deaths.push(`${options.script} ended with ${code}: ${options.said.at(-1)}`)
        return
      }
      state.process = run(options)
    }
  }
  const measure = () => {
    state.peak = Math.max(state.peak, peakMebibytes(state.process.pid))
  }
  void keepUp()
  await untilAlive(options.url, state.deaths)
  return {
    deaths: state.deaths,
    kills: () => state.kills,
    kill: () => {
      measure()
      state.kills++
      state.process.kill()
    },
    peakMebibytes: () => {
      measure()
      return state.peak
    },
    metrics: () => textAt(`${options.url}/metrics`),
    stop: async () => {
      if (!state.isWanted) return state.process.ended
      state.isWanted = false
      await untilAlive(options.url, state.deaths)
      await state.process.end('SIGTERM', usualSeconds)
      return state.process.ended
    },
  }
}

type Running = LifelinedProcess & { kill(): void; isKilled(): boolean }

const run = ({ script, args, env, said }: ProgramOptions): Running => {
  const process = startLifelined({
    program: globalThis.process.execPath,
    args: [join(main, script), ...args],
    env: { PATH: globalThis.process.env.PATH, ...compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [process.child.stdout, process.child.stderr]) stream?.on('data', text => said.push(String(text)))
  let isKilled = false
  return {
    ...process,
    isKilled: () => isKilled,
    kill: () => {
      isKilled = true
      process.child.kill('SIGKILL')
    },
  }
}

const untilAlive = async (url: string, deaths: readonly string[]): Promise<void> => {
  const deadline = performance.now() + usualSeconds * 1000
  while (!(await isAlive(url))) {
    if (deaths.length > 0) throw new Error(deaths.join())
    if (performance.now() > deadline) throw new Error(`${url} does not answer`)
    await wait(20)
  }
}

const isAlive = async (url: string): Promise<boolean> => (await textAt(`${url}/livez`)) !== undefined

const textAt = async (url: string): Promise<string | undefined> => {
  try {
    const answer = await fetch(url)
    return answer.ok ? await answer.text() : undefined
  } catch (error) {
    // Nobody listens there, not yet or not any more.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Linux's own count; 0 for a process that is gone. */
const peakMebibytes = (pid: number): number => {
  try {
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kibibytes ?? 0) / 1024
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0
    throw error
  }
}
