// The output and the questions of `npm start`: lines for users, which are the same in a terminal and in a file, or a JSON object per line.
import { createInterface } from 'node:readline/promises'
import { withoutControls } from '../../core/text/text.ts'

export type Terminal = {
  line(what: string, about: string): void
  /** The results of the samples: the text for users, otherwise the data. */
  result(text: string, data: object): void
}

type TerminalForm = {
  readonly isJson: boolean
  /** Only the result is printed. */
  readonly isQuiet: boolean
}

export const terminal = ({ isJson, isQuiet }: TerminalForm): Terminal => {
  const print = (text: string): void => {
    process.stdout.write(`${text}\n`)
  }
  const line = isJson
    ? (what: string, about: string) => print(JSON.stringify({ what, about }))
    : (what: string, about: string) => print(withoutControls(wrapped(`${what.padEnd(10)} ${about}`, 11)))
  return {
    line: isQuiet ? () => undefined : line,
    result: (text, data) => print(isJson ? JSON.stringify(data) : withoutControls(text)),
  }
}

/** The width of texts of commands: 80 columns, or the width of a narrower terminal. */
export const columns = Math.max(40, Math.min(80, process.stdout.columns || 80))

/** Splits the text between words into lines of at most `columnsMost`. All lines except the first are indented. */
export const wrapped = (text: string, indent: number, columnsMost = 100): string => {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columnsMost) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(last === undefined ? word : ' '.repeat(indent) + word)
  }
  return lines.join('\n')
}

/** False if there is no terminal. */
export const isAgreed = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) return false
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await lines.question(`${question} [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}
