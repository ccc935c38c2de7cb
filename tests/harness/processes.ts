// The running programs of one control plane, each with a log file. They are started and ended by name; what they are told
// is in components.ts, and that they cannot outlive this process is lifeline.ts.
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Program, program } from './binaries.ts'
import type { Component } from './components.ts'
import { type LifelinedProcess, startLifelined } from './lifeline.ts'

export type Processes = {
  start(component: Component): void
  /** What the work gives; fails as soon as one of the programs ends meanwhile, with the end of its log. */
  whileAllRun<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>
  signal(name: Program, signal: NodeJS.Signals): void
  /** Ends one program, which must be running. */
  stop(name: Program, signal: NodeJS.Signals): Promise<void>
  stopAll(): Promise<void>
  pids(): Readonly<Partial<Record<Program, number>>>
}

/** No programs yet; their logs will be `logs/<program>.log` in this folder. */
export function processesIn(dir: string): Processes {
  const running = new Map<Program, LifelinedProcess>()
  const logPath = (name: Program) => join(dir, 'logs', `${name}.log`)

  const get = (name: Program): LifelinedProcess => {
    const process = running.get(name)
    if (!process) throw new Error(`${name} is not running`)
    return process
  }

  const start = (component: Component): void => {
    if (running.has(component.program)) throw new Error(`${component.program} is running already`)
    const log = openSync(logPath(component.program), 'a')
    const stdio = ['ignore', log, log] as const
    running.set(component.program, startLifelined({ program: program(component.program), args: component.args, stdio }))
    closeSync(log)
  }

  const firstEnd = async (): Promise<never> => {
    const ends = [...running].map(async ([name, process]) => ({ name, result: await process.ended }))
    const { name, result } = await Promise.race(ends)
    const log = (await readFile(logPath(name), 'utf8')).trimEnd().split('\n').slice(-15)
    throw new Error(`${name} ended with ${result}; ${logPath(name)} ends with\n${log.join('\n')}`)
  }

  const whileAllRun = async <Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> => {
    const abort = new AbortController()
    const result = work(abort.signal)
    try {
      return await Promise.race([result, firstEnd()])
    } finally {
      abort.abort()
    }
  }

  const stop = async (name: Program, signal: NodeJS.Signals): Promise<void> => {
    const process = get(name)
    running.delete(name)
    await process.end(signal)
  }

  return {
    start,
    whileAllRun,
    signal: (name, signal) => get(name).child.kill(signal),
    stop,
    stopAll: async () => {
      await Promise.all([...running.keys()].map(name => stop(name, 'SIGKILL')))
    },
    pids: () => Object.fromEntries([...running].map(([name, process]) => [name, process.pid])),
  }
}
