// Removes the files that .helmignore excludes. A rule with a slash is compared with the whole path, a rule without a slash with the last part of
// the path. A rule that ends in a slash excludes folders with their content.
import { RE2JS } from 're2js'
import { type Files, RenderError } from '../../generator.ts'
import { wholeTokens } from '../../glob.ts'

export const withoutIgnored = (files: Files, ignoreFile: string): Files => {
  const rules = [...ignoreFile.split('\n'), 'templates/.?*'].map(line => line.trim()).flatMap(ruleOf)
  return new Map([...files].filter(([path]) => !isIgnored(path, rules)))
}

type Rule = { readonly matches: (path: string) => boolean; readonly isNegated: boolean; readonly isForFolders: boolean }

const ruleOf = (line: string): Rule[] => {
  if (line === '' || line.startsWith('#')) return []
  const isNegated = line.startsWith('!')
  const isForFolders = line.endsWith('/')
  const pattern = line.slice(isNegated ? 1 : 0, isForFolders ? -1 : undefined)
  const isMatch = line.includes('**') ? undefined : pathMatcher(pattern.replace(/^\//, ''))
  if (!isMatch) throw new RenderError(`.helmignore: ${line} is no pattern`)
  const subject = pattern.includes('/') ? (path: string) => path : lastPart
  return [{ matches: path => isMatch(subject(path)), isNegated, isForFolders }]
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const isIgnored = (path: string, rules: readonly Rule[]): boolean => {
  const parts = path.split('/')
  return parts.some((_, index) => isMet(parts.slice(0, index + 1).join('/'), rules, index < parts.length - 1))
}

/** As in Helm, a negated rule ignores every path that it does not match. The other rules judge the remaining paths. */
const isMet = (path: string, rules: readonly Rule[], isFolder: boolean): boolean =>
  rules.some(({ matches, isNegated, isForFolders }) => {
    const applies = (!isForFolders || isFolder) && matches(path)
    return isNegated ? !applies : applies
  })

/**
 * Go's filepath.Match, which is simpler than glob.ts: `*` and `?` match within one part of a path, `[a-c]` and `[^a]` are classes, a backslash
 * makes the next character literal. undefined if the pattern is invalid.
 */
const pathMatcher = (pattern: string): ((path: string) => boolean) | undefined => {
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
