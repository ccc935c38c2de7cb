// Removes the files that .helmignore excludes. A rule with a slash is compared with the whole path, a rule without a slash with the last part of
// the path. A rule that ends in a slash excludes folders with their content.
import { RE2JS } from 're2js'
import type { Files } from '../generator.ts'
import { type IgnoreRule, ignoreRules, isIgnoredWithin, type PathMatcher, wholeTokens } from '../glob.ts'

export const withoutIgnored = (files: Files, ignoreFile: string): Files => {
  const lines = [...ignoreFile.split('\n'), 'templates/.?*'].map(line => line.trim())
  const rules = ignoreRules(lines, '.helmignore', matcherOf)
  const isIgnored = (path: string, isFolder: boolean) => isMet(path, rules, isFolder)
  return new Map([...files].filter(([path]) => !isIgnoredWithin(path, isIgnored)))
}

const matcherOf = (pattern: string): PathMatcher | undefined => {
  const isMatch = pattern.includes('**') ? undefined : pathMatcher(pattern.replace(/^\//, ''))
  return isMatch && (pattern.includes('/') ? isMatch : path => isMatch(path.slice(path.lastIndexOf('/') + 1)))
}

/** As in Helm, a negated rule ignores every path that it does not match. All other rules apply to the remaining paths. */
const isMet = (path: string, rules: readonly IgnoreRule[], isFolder: boolean): boolean =>
  rules.some(({ matches, isNegated, isForFolders }) => {
    const applies = (!isForFolders || isFolder) && matches(path)
    return isNegated ? !applies : applies
  })

/**
 * Go's filepath.Match, which is simpler than glob.ts: `*` and `?` match within one part of a path, `[a-c]` and `[^a]` are classes, a backslash
 * makes the next character literal. undefined if the pattern is invalid.
 */
const pathMatcher = (pattern: string): PathMatcher | undefined => {
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
