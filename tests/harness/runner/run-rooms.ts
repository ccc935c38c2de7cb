// Runs test files in rooms (`rooms.ts`), each a process, several at once. When a file is over, its lines for people go to stdout, and everything goes
// to a file below .espalier/tap/. tap's own program looks into each process, and into its children, to learn which sources they load. This costs each
// process a quarter of a second, and that program prints nothing before a room is over.
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type LifelinedProcess, startLifelined } from '../processes/bound-processes.ts'
import { compileCache } from './compile-cache.ts'
import type { Room } from './rooms.ts'
import { readableTap } from './tap-report.ts'

export type Run = {
  /** The rooms begin in this order. */
  readonly rooms: readonly Room[]
  /** The name of the file below .espalier/tap/. */
  readonly tapFile: string
  /** How many run at once; by default one less than there are processors. */
  readonly jobs?: number
  /** The environment for the rooms of a job. Jobs are counted from 0. */
  readonly env?: (job: number) => Environment
}

type Environment = Readonly<Record<string, string>>

const root = join(import.meta.dirname, '..', '..', '..')
const unfollowedPromises = `--import=${join(import.meta.dirname, 'unfollowed-promises.ts')}`

/** How Node runs the files of a room. */
export const roomCommand = (room: Room): string[] => [unfollowedPromises, join(import.meta.dirname, 'room.ts'), ...room]

/** For environments in which a skipped test proves nothing. */
export const skipsFail = { TAP_FAIL_SKIP: '1', TAP_FAIL_TODO: '1' }

/** Far more than any room needs. A room that takes longer hangs, and tap says where. */
const roomSeconds = 1_200
const graceSeconds = 30

/** An exit code: 0 when everything passed. */
export const runRooms = async ({ rooms, tapFile, jobs = availableParallelism() - 1, env }: Run): Promise<number> => {
  const path = join(root, '.espalier', 'tap', tapFile)
  await mkdir(dirname(path), { recursive: true })
  const whole = createWriteStream(path)
  const say = (lines: readonly string[]): void => {
    whole.write(textOf(lines))
    process.stdout.write(textOf(readableTap(lines)))
  }
  const began = performance.now()
  const waiting = [...rooms]
  const running = new Set<LifelinedProcess>()
  const bad: string[] = []
  const work = async (job: number): Promise<void> => {
    for (let room = waiting.shift(); room; room = waiting.shift()) {
      const one = started(room, env?.(job))
      running.add(one)
      const code = await ended(one, say)
      running.delete(one)
      if (code !== 0) bad.push(`not ok ${rooms.indexOf(room) + 1} - the room of ${room.join(', ')} ended with ${code}`)
    }
  }
  const stop = (signal: NodeJS.Signals): void => {
    waiting.length = 0
    for (const one of running) void one.end(signal, 2)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  await Promise.all(Array.from({ length: Math.max(1, jobs) }, (_, job) => work(job)))
  const seconds = Math.round((performance.now() - began) / 1000)
  say([...bad, `# ${seconds} s; rooms: ${rooms.length}, failed: ${bad.length}`])
  await new Promise(resolve => whole.end(resolve))
  return bad.length > 0 ? 1 : 0
}

const started = (room: Room, env?: Environment): LifelinedProcess =>
  startLifelined({
    program: process.execPath,
    args: roomCommand(room),
    folder: root,
    env: { ...process.env, ...compileCache, TAP_TIMEOUT: String(roomSeconds), ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })

/** Prints all lines of a file at once, because other rooms print at the same time. */
const ended = async (room: LifelinedProcess, say: (lines: readonly string[]) => void) => {
  const hangs = setTimeout(() => void room.end('SIGTERM', graceSeconds), roomSeconds * 1000)
  const unsaid: string[] = []
  if (room.child.stdout)
    for await (const line of createInterface(room.child.stdout)) {
      if (isNextFile(line)) say(unsaid.splice(0))
      unsaid.push(line)
    }
  say(unsaid)
  const code = await room.ended
  clearTimeout(hangs)
  return code
}

const isNextFile = (line: string): boolean => line.startsWith('# Subtest: ')

const textOf = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('')
