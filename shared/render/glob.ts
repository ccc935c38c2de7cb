// Patterns over the paths of an artifact, as in Helm's `Files.Glob`: `*` and `?` match within one part of a path, `**`
// matches across parts, `[a-c]` and `[!a]` are classes, `{a,b}` are alternatives, a backslash makes the next character
// literal.
import { RE2JS } from 're2js'
import { RenderError } from './generator.ts'

export type PathMatcher = (path: string) => boolean

/** undefined if the pattern is invalid. Matching takes linear time for every pattern and path. */
export const globMatcher = (pattern: string): PathMatcher | undefined => {
  const source = sourceOf(pattern)
  if (source === undefined) return undefined
  const expression = RE2JS.compile(source, RE2JS.DOTALL)
  return path => expression.matches(path)
}

const token = /\\.|\[!?[^\]]+\]|\*\*|[*?{},]|[^\\[\]*?{},]+/suy

const sourceOf = (pattern: string): string | undefined => {
  const tokens = wholeTokens(pattern, token)
  if (!tokens) return undefined
  let depth = 0
  const parts = tokens.map(part => {
    if (part === '{') depth++
    if (part === '}') depth--
    return part === ',' ? separator(depth) : expression(part)
  })
  return depth === 0 ? parts.join('') : undefined
}

const separator = (depth: number): string => (depth > 0 ? '|' : ',')

const wildcards: Readonly<Record<string, string>> = { '**': '.*', '*': '[^/]*', '?': '[^/]', '{': '(?:', '}': ')' }

const expression = (part: string): string => {
  const wildcard = wildcards[part]
  if (wildcard !== undefined) return wildcard
  if (part.startsWith('[')) return characterClass(part)
  return RE2JS.quote(part.startsWith('\\') ? part.slice(1) : part)
}

const characterClass = (part: string): string => {
  const isNegated = part.startsWith('[!')
  const members = part.slice(isNegated ? 2 : 1, -1)
  return `[${isNegated ? '^' : ''}${members.replace(/[\\^[\]&~]/gu, '\\$&')}]`
}

/** Splits a text into tokens with a sticky pattern, in linear time. undefined if a part of the text is no token. */
export const wholeTokens = (text: string, token: RegExp): string[] | undefined => {
  const tokens: string[] = []
  for (let at = 0; at < text.length; ) {
    token.lastIndex = at
    const [found] = token.exec(text) ?? []
    if (!found) return undefined
    tokens.push(found)
    at += found.length
  }
  return tokens
}

export type IgnoreRule = {
  readonly matches: PathMatcher
  readonly isNegated: boolean
  readonly isForFolders: boolean
}

/** The rules of an ignore file. `matcher` gets patterns without `!` and without the slash at the end. */
export const ignoreRules = (
  lines: readonly string[],
  file: string,
  matcher: (pattern: string) => PathMatcher | undefined,
): IgnoreRule[] =>
  lines
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const isNegated = line.startsWith('!')
      const isForFolders = line.endsWith('/')
      const matches = matcher(line.slice(isNegated ? 1 : 0, isForFolders ? -1 : undefined))
      if (!matches) throw new RenderError(`${file}: ${line} is not a valid pattern`)
      return { matches, isNegated, isForFolders }
    })

/** Whether the path, or a folder that contains it, is ignored. */
export const isIgnoredWithin = (path: string, isIgnored: (path: string, isFolder: boolean) => boolean): boolean => {
  const parts = path.split('/')
  return parts.some((_, index) => isIgnored(parts.slice(0, index + 1).join('/'), index < parts.length - 1))
}
