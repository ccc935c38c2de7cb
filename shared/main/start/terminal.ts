// Prints and asks for `npm start`. Plain lines, which look the same in a terminal and in a file.
import { createInterface } from 'node:readline/promises'

/** Prints one line: what happens, and to what. */
export const printLine = (what: string, about: string): void => {
  process.stdout.write(`${what.padEnd(10)} ${about}\n`)
}

/** False where nobody can be asked. */
export const isAgreed = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) return false
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await lines.question(`${question} [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}
