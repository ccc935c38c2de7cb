// What `npm start` says to a person, and asks. Plain lines: they read the same in a terminal and in a file.
import { createInterface } from 'node:readline/promises'

/** One line: what happens, and about what. */
export const tell = (what: string, about: string): void => {
  process.stdout.write(`${what.padEnd(10)} ${about}\n`)
}

/** Where nobody can be asked, nobody agreed. */
export const isAgreed = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) return false
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await lines.question(`${question} [y/N] `)
  lines.close()
  return /^y(es)?$/i.test(answer.trim())
}
