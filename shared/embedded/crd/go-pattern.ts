// Regular expressions in Go's syntax, found in linear time: those of definitions come from whoever may create definitions.
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'

/** A definition seldom has more than some dozens. */
const keptMost = 1_000

const compiled = new BoundedCache<string, RE2JS>(keptMost)

/** Throws in Go's words where the pattern is none. */
const goPattern = (pattern: string): RE2JS => {
  const known = compiled.get(pattern)
  if (known) return known
  const made = compiledAnew(pattern)
  compiled.set(pattern, made)
  return made
}

const compiledAnew = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    throw new Error(`error parsing regexp: ${error.getDescription()}: \`${error.getPattern() ?? pattern}\``)
  }
}

/** Whether it is found anywhere in the text. */
export const isFound = (pattern: string, text: string): boolean => goPattern(pattern).matcher(text).find()

export const allFound = (pattern: string, text: string, most = Number.POSITIVE_INFINITY): string[] => {
  const matcher = goPattern(pattern).matcher(text)
  const found: string[] = []
  while (found.length < most && matcher.find()) found.push(matcher.group() ?? '')
  return found
}
