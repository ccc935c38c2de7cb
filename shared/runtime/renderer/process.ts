// Starts, asks, watches and kills one renderer process. It is a process and not a thread, because a thread that runs out of memory ends
// the whole host, and a thread in the midst of something long cannot be stopped.
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { computedSeconds } from './computed-seconds.ts'
import type { Answer, RendererMessage, Request } from './messages.ts'

export type RendererProcess = {
  readonly isAlive: boolean
  /** Calls it when the process is up: at once if it is already. */
  whenUp(run: () => void): void
  /** One request at a time. Rejects with RendererEnded when the process ends before it answers. */
  ask(request: Request, at: (file: string) => void): Promise<Reply>
  /** The bytes that the process holds; undefined on systems that do not tell, and after its end. */
  resident(): Promise<number | undefined>
  /** The seconds of CPU time that the process has used; undefined on systems that do not tell, and after its end. */
  computedSeconds(): Promise<number | undefined>
  kill(): void
}

/** `bytes`: what the process held after its work. */
export type Reply = { readonly answer: Answer; readonly bytes: number }

export class RendererEnded extends Error {
  override readonly name = 'RendererEnded'
  /** `early`: the process ended before it was up. */
  readonly because: 'early' | 'memory' | 'other'
  /** The signal or the code it ended with. */
  readonly how: string

  constructor(how: string, because: RendererEnded['because']) {
    super(`the renderer ended (${how})`)
    this.how = how
    this.because = because
  }
}

type RendererProgram = {
  readonly path: string
  readonly bytesMost: number
}

/** The part of it for JavaScript's heap; the rest is for buffers, code, and memory that was not given back yet. */
const heapShare = 0.75

/** With an empty environment, so that charts cannot read it, except for the folder of compiled code. */
export const startRenderer = ({ path, bytesMost }: RendererProgram): RendererProcess => {
  const child = fork(path, {
    env: compileCache(),
    execArgv: [`--max-old-space-size=${Math.ceil((bytesMost * heapShare) / 2 ** 20)}`, '--max-semi-space-size=8'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const life = lifeOf(child)
  rest(child)
  return {
    get isAlive() {
      return life.end === undefined
    },
    whenUp: run => (life.isUp ? run() : void child.once('message', run)),
    kill: () => void child.kill('SIGKILL'),
    resident: () => residentBytes(child.pid),
    computedSeconds: () => computedSeconds(child.pid),
    ask: async (request, at) => {
      const watch = watched(child, life, bytesMost)
      try {
        return await asked(child, life, { request, at })
      } finally {
        clearInterval(watch)
      }
    },
  }
}

/** A bundle in an image has none. Node appends a folder for its version. */
const compileCache = (): Record<string, string> => {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

type Life = {
  isUp: boolean
  /** It was killed because it held too much memory. */
  hasTooMuch: boolean
  end?: RendererEnded
  /** Called when the process ends. */
  ends: (end: RendererEnded) => void
}

const lifeOf = (child: ChildProcess): Life => {
  const life: Life = { isUp: false, hasTooMuch: false, ends: () => {} }
  const ended = (how: string): void => {
    const isOutOfMemory = life.hasTooMuch || memorySignals.has(how)
    life.end ??= new RendererEnded(how, isOutOfMemory ? 'memory' : life.isUp ? 'other' : 'early')
    life.ends(life.end)
  }
  child.once('message', () => {
    life.isUp = true
  })
  child.on('exit', (code, signal) => ended(signal ?? `code ${code}`))
  child.on('error', error => ended(error.message))
  return life
}

/** The signals by which V8 ends a process that runs out of memory. */
const memorySignals: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL'])

type Asking = { readonly request: Request; readonly at: (file: string) => void }

const asked = async (child: ChildProcess, life: Life, { request, at }: Asking): Promise<Reply> => {
  if (life.end) throw life.end
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const receive = (message: unknown): void => {
    const one = message as RendererMessage
    if ('at' in one) at(one.at)
    else if ('answer' in one) resolve(one)
  }
  life.ends = reject
  child.on('message', receive)
  work(child)
  // Sending fails only when the process has ended, which `exit` reports.
  child.send(request, () => {})
  try {
    return await promise
  } finally {
    child.off('message', receive)
    rest(child)
  }
}

/** An idle renderer does not keep the host's process from ending. */
const rest = (child: ChildProcess): void => {
  child.unref()
  child.channel?.unref()
}

const work = (child: ChildProcess): void => {
  child.ref()
  child.channel?.ref()
}

/** A process takes at most a gigabyte of memory in a second, so 50 MB between two looks. */
const lookMilliseconds = 50

/** Kills a process that holds too much: V8 bounds its heap, but neither buffers nor long texts. */
const watched = (child: ChildProcess, life: Life, bytesMost: number): NodeJS.Timeout =>
  setInterval(async () => {
    const bytes = (await residentBytes(child.pid)) ?? 0
    if (bytes <= bytesMost || life.end) return
    life.hasTooMuch = true
    child.kill('SIGKILL')
  }, lookMilliseconds)

/** Only Linux shows this of another process. */
const residentBytes = async (pid: number | undefined): Promise<number | undefined> => {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
