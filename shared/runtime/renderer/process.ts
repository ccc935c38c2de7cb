// Starts, asks, watches and kills one renderer process. A thread is not enough: running out of memory in a thread ends the whole host, and
// a long computation in a thread cannot be stopped.
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { computedSeconds } from './computed-seconds.ts'
import type { Answer, RendererMessage, Request } from './renderer.ts'

export type RendererProcess = {
  readonly isAlive: boolean
  whenUp(run: () => void): void
  /** One request at a time. Rejects with RendererEnded when the process ends before its answer. */
  ask(request: Request, at: (file: string) => void): Promise<Reply>
  /** Memory in bytes; undefined on systems without this information, and after the end of the process. */
  resident(): Promise<number | undefined>
  /** CPU time in seconds; undefined on systems without this information, and after the end of the process. */
  computedSeconds(): Promise<number | undefined>
  kill(): void
}

/** `bytes`: memory of the process after its work. */
export type Reply = { readonly answer: Answer; readonly bytes: number }

export class RendererEnded extends Error {
  override readonly name = 'RendererEnded'
  readonly because: 'early' | 'memory' | 'other'
  /** The signal or exit code. */
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

/** The share of the memory limit for the JavaScript heap. The rest is for buffers, code and freed memory that is not yet returned. */
const heapShare = 0.75

/** Starts with an environment that contains only the compile cache, so that charts cannot read the host's environment. */
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

/** The variable for Node's compile cache. A bundle in an image has no cache. Node appends a folder for its version. */
const compileCache = (): Record<string, string> => {
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

type Life = {
  isUp: boolean
  /** Whether the process was killed because of its memory. */
  hasTooMuch: boolean
  end?: RendererEnded
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

/** V8 ends a process that runs out of memory with one of these signals. */
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
  // Ignore errors: sending fails only if the process has ended, and the event `exit` reports the end.
  child.send(request, () => {})
  try {
    return await promise
  } finally {
    child.off('message', receive)
    rest(child)
  }
}

/** An idle renderer does not keep the host alive. */
const rest = (child: ChildProcess): void => {
  child.unref()
  child.channel?.unref()
}

const work = (child: ChildProcess): void => {
  child.ref()
  child.channel?.ref()
}

/** The time between two checks. A process allocates at most 1 GB per second, so 50 MB between two checks. */
const lookMilliseconds = 50

/** Kills a process above its memory limit. V8 limits its heap, but not buffers and long texts. */
const watched = (child: ChildProcess, life: Life, bytesMost: number): NodeJS.Timeout =>
  setInterval(async () => {
    const bytes = (await residentBytes(child.pid)) ?? 0
    if (bytes <= bytesMost || life.end) return
    life.hasTooMuch = true
    child.kill('SIGKILL')
  }, lookMilliseconds)

/** Memory in bytes; undefined on systems other than Linux. */
const residentBytes = async (pid: number | undefined): Promise<number | undefined> => {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
