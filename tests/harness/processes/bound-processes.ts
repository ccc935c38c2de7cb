// Processes that cannot outlive this one, however it ends. Each runs in a process group of its own beside a tiny shell
// reader, which holds the far end of a pipe: when this process is gone, even by `kill -9`, the pipe closes and the
// reader kills the whole group. What is run, and when it counts as ready, is the caller's business.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

export type Command = {
  /** Path of the program, or its name on the PATH. */
  readonly program: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** Where it runs; where this process does when not given. */
  readonly folder?: string
  /** Where its stdin, stdout and stderr go; to nowhere when not given. */
  readonly stdio?: readonly ['ignore' | 'inherit', number | Output, number | Output]
}

type Output = 'ignore' | 'inherit' | 'pipe'

export type LifelinedProcess = {
  readonly pid: number
  readonly child: ChildProcess
  /** Settles when the process ended, with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** Sends the signal and waits for the end; kills when that takes longer than `graceSeconds`. */
  end(signal: NodeJS.Signals, graceSeconds?: number): Promise<void>
}

/** The program replaces the shell, so its process id and its exit are the child's own. `kill 0` means the group. */
const script = '(read -r _ <&3; kill -KILL 0) & exec "$@" 3<&-'

/** Runs the command; it keeps nobody awake: a process that has nothing else to do ends, and takes this one along. */
export function startLifelined(command: Command): LifelinedProcess {
  const stdio: StdioOptions = [...(command.stdio ?? ['ignore', 'ignore', 'ignore']), 'pipe']
  const child = spawn('sh', ['-c', script, command.program, command.program, ...command.args], {
    detached: true,
    env: command.env,
    cwd: command.folder,
    stdio,
  })
  const lifeline = child.stdio[3]
  if (!child.pid || !lifeline || !('destroy' in lifeline)) throw new Error(`could not start ${command.program}`)
  // The far end goes away with the group; that is no fault.
  lifeline.on('error', () => lifeline.destroy())
  const ended = endOf(child).finally(() => lifeline.destroy())
  child.unref()
  if ('unref' in lifeline && typeof lifeline.unref === 'function') lifeline.unref()
  return {
    pid: child.pid,
    child,
    ended,
    end: (signal, graceSeconds = 10) => end({ child, ended, signal, graceSeconds }),
  }
}

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  return signal ?? code ?? 0
}

async function end(how: {
  child: ChildProcess
  ended: Promise<unknown>
  signal: NodeJS.Signals
  graceSeconds: number
}): Promise<void> {
  how.child.ref()
  how.child.kill(how.signal)
  const impatience = setTimeout(() => how.child.kill('SIGKILL'), how.graceSeconds * 1000)
  await how.ended
  clearTimeout(impatience)
}
