// One renderer as a host sees it: a process that is started, asked, watched and killed. It is a process and not a thread because
// a thread that runs out of memory takes its whole process along, and one in the midst of something long can't be stopped.
import { type ChildProcess, fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import type { Answer, Request, Told } from './messages.ts'

export type RendererProcess = {
  readonly isAlive: boolean
  /** One at a time. Rejects with RendererEnded when the process does not live to answer. */
  ask(request: Request, at: (file: string) => void): Promise<Reply>
  /** Bytes that it holds; undefined where the system does not tell, and of one that has ended. */
  resident(): Promise<number | undefined>
  kill(): void
}

/** `bytes`: what the process held after its work. */
export type Reply = { readonly answer: Answer; readonly bytes: number }

export class RendererEnded extends Error {
  override readonly name = 'RendererEnded'
  /** `early`: it has never been up. */
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
  /** The module that it runs. */
  readonly path: string
  /** All that the process may hold. */
  readonly bytesMost: number
}

/** Of that, what JavaScript's heap gets: the rest is for bytes outside of it, code, and what is not given back yet. */
const heapShare = 0.75

/** Its environment is empty: nothing there is for charts. */
export const startRenderer = ({ path, bytesMost }: RendererProgram): RendererProcess => {
  const child = fork(path, {
    env: {},
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
    kill: () => void child.kill('SIGKILL'),
    resident: () => residentBytes(child.pid),
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

type Life = {
  isUp: boolean
  /** It was killed for what it held. */
  hasTooMuch: boolean
  end?: RendererEnded
  /** Told of the end. */
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

/** By these V8 ends a process that cannot have what it needs. */
const memorySignals: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL'])

type Asking = { readonly request: Request; readonly at: (file: string) => void }

const asked = async (child: ChildProcess, life: Life, { request, at }: Asking): Promise<Reply> => {
  if (life.end) throw life.end
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const told = (message: unknown): void => {
    const one = message as Told
    if ('at' in one) at(one.at)
    else if ('answer' in one) resolve(one)
  }
  life.ends = reject
  child.on('message', told)
  work(child)
  // One that can't be told anything has ended, which is heard of anyway.
  child.send(request, () => {})
  try {
    return await promise
  } finally {
    child.off('message', told)
    rest(child)
  }
}

/** A renderer with nothing to do keeps no program from ending. */
const rest = (child: ChildProcess): void => {
  child.unref()
  child.channel?.unref()
}

const work = (child: ChildProcess): void => {
  child.ref()
  child.channel?.ref()
}

/** The fastest that a process can take memory is a gigabyte in a second. */
const lookMilliseconds = 50

/** The heap is bounded by V8, but not bytes outside of it, nor long texts. */
const watched = (child: ChildProcess, life: Life, bytesMost: number): NodeJS.Timeout =>
  setInterval(async () => {
    const bytes = (await residentBytes(child.pid)) ?? 0
    if (bytes <= bytesMost || life.end) return
    life.hasTooMuch = true
    child.kill('SIGKILL')
  }, lookMilliseconds)

/** Linux tells it of any process, other systems do not. */
const residentBytes = async (pid: number | undefined): Promise<number | undefined> => {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
