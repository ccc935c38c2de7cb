// The running programs of one control plane, each with a log file. A name starts and stops a program: the program's own, unless it runs twice.
// components.ts has their arguments; bound-processes.ts makes sure that they cannot outlive this process.
import { closeSync, openSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type LifelinedProcess, startLifelined } from '../processes/bound-processes.ts'
import { eventually } from '../until.ts'
import { program } from './binaries.ts'
import type { Component } from './components.ts'

export type Processes = {
  start(component: Component): void
  /** The result of the work. Fails as soon as one of the programs ends meanwhile, with the end of its log. */
  whileAllRun<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result>
  /** Makes it hang. Resolves when none of its threads runs any more, which takes a moment after the signal. */
  pause(name: string): Promise<void>
  resume(name: string): void
  /** Stops one running program. It is killed if that takes longer than `graceSeconds` (10 when absent). */
  stop(name: string, signal: NodeJS.Signals, graceSeconds?: number): Promise<void>
  stopAll(): Promise<void>
  pids(): Readonly<Record<string, number | undefined>>
}

/** Collects garbage less often. This saves a seventh of what kube-apiserver computes until it is ready, for 130 MB more memory. */
const env = { ...process.env, GOGC: '400' }

/** No programs yet; their logs will be `logs/<name>.log` in this folder. */
export function processesIn(dir: string): Processes {
  const running = new Map<string, LifelinedProcess>()
  const logPath = (name: string) => join(dir, 'logs', `${name}.log`)

  const get = (name: string): LifelinedProcess => {
    const process = running.get(name)
    if (!process) throw new Error(`${name} is not running`)
    return process
  }

  const start = (component: Component): void => {
    const { name = component.program, args } = component
    if (running.has(name)) throw new Error(`${name} is running already`)
    const log = openSync(logPath(name), 'a')
    const stdio = ['ignore', log, log] as const
    running.set(name, startLifelined({ program: program(component.program), args, env, stdio }))
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

  const stop = async (name: string, signal: NodeJS.Signals, graceSeconds?: number): Promise<void> => {
    const process = get(name)
    running.delete(name)
    await process.end(signal, graceSeconds)
  }

  return {
    start,
    whileAllRun,
    pause: async name => {
      const { child, pid } = get(name)
      child.kill('SIGSTOP')
      await eventually(`${name} stands still`, () => isStopped(pid))
    },
    resume: name => get(name).child.kill('SIGCONT'),
    stop,
    stopAll: async () => {
      await Promise.all([...running.keys()].map(name => stop(name, 'SIGKILL')))
    },
    pids: () => Object.fromEntries([...running].map(([name, process]) => [name, process.pid])),
  }
}

const isStopped = async (pid: number): Promise<boolean> => {
  const threads = await readdir(`/proc/${pid}/task`)
  const states = await Promise.all(threads.map(thread => stateOf(`/proc/${pid}/task/${thread}/stat`)))
  return states.every(state => state === 'T')
}

/** The state follows the name, which is in parentheses and may contain some. A thread may have ended meanwhile. */
const stateOf = async (path: string): Promise<string | undefined> => {
  const stat = await readFile(path, 'utf8').catch(() => '')
  return /\) (\w) [^)]*$/.exec(stat)?.[1]
}
