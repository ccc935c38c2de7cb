// Processes that cannot outlive this one, however it ends. Each runs in a process group of its own beside a tiny shell reader, which holds the far
// end of a pipe. When this process is gone, even by `kill -9`, the pipe closes and the reader kills the whole group. The caller says what runs, and
// when it counts as ready.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

export type Command = {
  /** Path of the program, or its name on the PATH. */
  readonly program: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** The folder in which it runs; by default that of this process. */
  readonly folder?: string
  /** Where stdin, stdout and stderr go; by default nowhere. */
  readonly stdio?: readonly ['ignore' | 'inherit', number | Output, number | Output]
}

type Output = 'ignore' | 'inherit' | 'pipe'

export type LifelinedProcess = {
  readonly pid: number
  readonly child: ChildProcess
  /** Settles when the process ended, with its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** Sends the signal and waits for the end. Kills the process if that takes longer than `graceSeconds`. */
  end(signal: NodeJS.Signals, graceSeconds?: number): Promise<void>
}

/** The program replaces the shell, so its process id and its exit are those of the child. `kill 0` means the group. */
const script = '(read -r _ <&3; kill -KILL 0) & exec "$@" 3<&-'

/** Runs the command. The command does not keep this process alive: a process with nothing else to do ends, and the command with it. */
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
  // The far end disappears with the group, which is no fault.
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
