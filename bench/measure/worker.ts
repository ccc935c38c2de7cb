// A program of a benchmark in a process of its own, asked by messages: its memory and its garbage collections are its own.
// The program calls `serveParent` with its commands and exports their type; the benchmark starts it with `startWorker`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export type Worker<Commands> = {
  readonly pid: number
  /** Rejects with what the command threw, and when the process is gone. */
  ask<Name extends keyof Commands>(name: Name, ...input: Input<Commands[Name]>): Promise<Output<Commands[Name]>>
  end(): Promise<void>
}

type Input<Command> = Command extends (...input: infer Values) => unknown ? Values : never
type Output<Command> = Command extends (...input: never) => infer Value ? Awaited<Value> : never

type Question = { id: number; name: string; input: unknown[] }
type Answer = { id: number; output?: unknown; failure?: string }
type Waiting = { resolve(output: never): void; reject(failure: Error): void }

/** `program` is a file of bench/programs. */
export const startWorker = <Commands>(program: string, execArgv: readonly string[] = []): Worker<Commands> => {
  const file = join(import.meta.dirname, '..', 'programs', program)
  const child = fork(file, [], {
    serialization: 'advanced',
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const waiting = new Map<number, Waiting>()
  let questions = 0
  child.on('message', ({ id, output, failure }: Answer) => {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (failure === undefined) asked?.resolve(output as never)
    else asked?.reject(new Error(`${program}: ${failure}`))
  })
  const exited = once(child, 'exit').then(([code, signal]) => {
    for (const asked of waiting.values()) asked.reject(new Error(`${program} ended with ${code ?? signal}`))
  })
  return {
    pid: child.pid ?? 0,
    ask: (name, ...input) =>
      new Promise((resolve, reject) => {
        const question: Question = { id: questions++, name: String(name), input }
        waiting.set(question.id, { resolve, reject })
        child.send(question, error => error && reject(error))
      }),
    end: async () => {
      child.disconnect()
      await exited
    },
  }
}

type AnyCommands = Readonly<Record<string, (...input: never[]) => unknown>>

/** Answers the benchmark that started this process, and ends with it. */
export const serveParent = (commands: AnyCommands): void => {
  process.once('disconnect', () => process.exit())
  process.on('message', async ({ id, name, input }: Question) => {
    const answer: Answer = await answered(commands[name], input as never[]).then(
      output => ({ id, output }),
      (failure: unknown) => ({ id, failure: failure instanceof Error ? (failure.stack ?? '') : String(failure) }),
    )
    process.send?.(answer)
  })
}

const answered = async (command: AnyCommands[string] | undefined, input: never[]): Promise<unknown> => {
  if (command === undefined) throw new Error('there is no such command')
  return command(...input)
}
