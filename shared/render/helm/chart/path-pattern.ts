// Go's filepath.Match: `*` and `?` stay within one part of a path, `[a-c]` and `[^a]` are classes, a backslash takes the
// meaning from what follows. For what templates ask for see glob.ts, whose patterns mean more.
import { RE2JS } from 're2js'
import { wholeTokens } from '../../whole-tokens.ts'

/** Whether a path is meant; undefined where Go would refuse the pattern. */
export const pathMatcher = (pattern: string): ((path: string) => boolean) | undefined => {
  const parts = wholeTokens(pattern, token)
  if (!parts) return undefined
  const expression = RE2JS.compile(parts.map(sourceOf).join(''), RE2JS.DOTALL)
  return path => expression.matches(path)
}

const token = /\[\^?(?:\\.|[^\]\\])+\]|\\.|[^[\\]/suy

const wildcards: Readonly<Record<string, string>> = { '*': '[^/]*', '?': '[^/]' }

const sourceOf = (part: string): string => {
  const wildcard = wildcards[part]
  if (wildcard !== undefined) return wildcard
  if (part.startsWith('[')) return part.replace(/(?<=.)[[&~]/gu, '\\$&')
  return RE2JS.quote(part.startsWith('\\') ? part.slice(1) : part)
}
