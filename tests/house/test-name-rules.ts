// Names of tests say situation and result, the IDs of their rows in front: `CO-73 a Pod is Current when ready`. Names that are computed
// are left to their rows.
import { idPattern } from '../harness/runner/rows.ts'
import type { Fault } from './import-rules.ts'
import { tokensOf } from './tokens.ts'

const wordsLeast = 4

/** Rows may carry a mark: `GA-12 A4`, `FN-1 K`. */
const ids = /^([A-Z]{2,3}-\d+ )+([A-Z]\d* )?/

export const testNameFaults = (path: string, text: string): Fault[] => {
  const tokens = tokensOf(text).filter(({ kind }) => kind !== 'comment')
  return tokens.flatMap(({ kind, text }, at) => {
    const next = tokens[at + 1]
    if (kind !== 'code' || !/\.test\(\s*$/.test(text) || !next || !isPlainText(next.text)) return []
    return nameFaults(next.text.slice(1, -1)).map(fault => ({
      path,
      fault: `the test '${next.text.slice(1, -1)}' ${fault}`,
    }))
  })
}

/** A text in quotes of any kind, nothing in it computed. */
const isPlainText = (token: string): boolean => /^['"`]/.test(token) && !token.includes('${')

const nameFaults = (name: string): string[] => {
  const said = name.replace(ids, '')
  return [
    ...(said.split(/\s+/).length < wordsLeast ? ['says neither situation nor result'] : []),
    ...(new RegExp(idPattern).test(said) ? ['has the ID of a row behind'] : []),
  ]
}
