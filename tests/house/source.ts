// A file as the rules of the house see it: its code without text, its comments, and what it imports.
import { type Token, tokensOf } from './tokens.ts'

export type Source = {
  readonly path: string
  /** Without comments; strings and regular expressions are empty, lines are kept. */
  readonly code: string
  readonly comments: readonly string[]
  readonly imports: readonly Import[]
  readonly beginsWithComment: boolean
}

/** `specifier` is undefined where it is not written down but computed. */
export type Import = {
  readonly specifier: string | undefined
  readonly isType: boolean
  /** What is imported of it, by its name there; undefined: all. */
  readonly names?: readonly string[]
}

export const source = (path: string, text: string): Source => {
  const tokens = tokensOf(text)
  return {
    path,
    code: tokens.map(({ kind, text }) => blanked[kind](text)).join(''),
    comments: tokens.filter(({ kind }) => kind === 'comment').map(({ text }) => text),
    imports: importsIn(tokens.filter(({ kind }) => kind !== 'comment')),
    beginsWithComment: /^(#![^\n]*\n)?\s*(\/\/|\/\*)/.test(text),
  }
}

const lines = (text: string): string => text.replace(/[^\n]/g, '')

const blanked: Record<Token['kind'], (text: string) => string> = {
  code: text => text,
  string: text => `''${lines(text)}`,
  comment: lines,
}

const importsIn = (tokens: readonly Token[]): Import[] =>
  tokens.flatMap(({ kind, text }, at): Import[] => {
    if (kind !== 'code') return []
    const computed = [...text.matchAll(/\bimport\s*\(\s*(?=\S)/g)].map(() => ({ specifier: undefined, isType: false }))
    const next = tokens[at + 1]
    if (next?.kind !== 'string' || !/\b(from|import|import\s*\(|require\s*\()\s*$/.test(text)) return computed
    const isType = /\b(import|export)\s+type\b[^;'"]*$/.test(text)
    return [...computed, { specifier: next.text.slice(1, -1), isType, names: namesIn(text) }]
  })

/** `a` and `b` of `import { a, type b as c } from`; undefined where all is imported. */
const namesIn = (text: string): string[] | undefined => {
  const [, names] = /\b(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s*from\s*$/.exec(text) ?? []
  return names
    ?.split(',')
    .map(
      name =>
        name
          .trim()
          .replace(/^type /, '')
          .split(' ')[0] ?? '',
    )
    .filter(name => name !== '')
}
