// Regular expressions in the syntax of Go's RE2, matched in linear time.
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { rethrown } from '../../../core/decisions/reading.ts'
import { Failure, holds } from '../run/environment.ts'
import { canBackquote, quote } from '../syntax/literals.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'
import { type Call, type GoValue, nilList, textList } from '../value/value.ts'

const longest = 10_000

type Compile = (call: Call, pattern: string) => RE2JS

const compiled: Compile = ({ environment }, pattern) => {
  if (pattern.length > longest) throw new Failure('regexp: pattern is too long')
  const known = environment.patterns.get(pattern)
  if (known !== undefined) return known
  const regex = compiledAnew(pattern)
  environment.patterns.set(pattern, regex)
  return regex
}

const compiledAnew = (pattern: string): RE2JS =>
  rethrown(
    RE2JSSyntaxException,
    () => RE2JS.compile(pattern),
    fault => new Failure(`error parsing regexp: ${fault.getDescription()}: \`${fault.getPattern() ?? pattern}\``),
  )

const compiledOrPanic: Compile = (call, pattern) =>
  rethrown(
    Failure,
    () => compiled(call, pattern),
    ({ message }) =>
      new Failure(`regexp: Compile(${canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern)}): ${message}`),
  )

type Match = { readonly start: number; readonly end: number; readonly groups: readonly (string | null)[] }

/** All matches. As in Go, an empty match cannot follow another match directly. */
function* matches(regex: RE2JS, text: string): Generator<Match> {
  const matcher = regex.matcher(text)
  let last = -1
  while (matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()]
    if (end > start || start !== last) {
      yield { start, end, groups: Array.from({ length: regex.groupCount() + 1 }, (_, group) => matcher.group(group)) }
    }
    last = end
  }
}

const all = (regex: RE2JS, text: string, most: number): GoValue => {
  const found: string[] = []
  if (most === 0) return nilList('string')
  for (const { groups } of matches(regex, text)) {
    found.push(groups[0] ?? '')
    if (found.length === most) break
  }
  return found.length === 0 ? nilList('string') : textList(found)
}

const first = (regex: RE2JS, text: string): string => {
  for (const { groups } of matches(regex, text)) return groups[0] ?? ''
  return ''
}

const replaced = (call: Call, regex: RE2JS, text: string, replacement: (match: Match) => string): string => {
  const written: string[] = []
  let [at, size] = [0, text.length]
  for (const match of matches(regex, text)) {
    const by = replacement(match)
    size += by.length
    call.budget.fits(size)
    written.push(text.slice(at, match.start), by)
    at = match.end
  }
  return written.join('') + text.slice(at)
}

const reference = /\$(?:(\$)|(\w+)|\{(\w+)\})/g

/** Expands `$1` and `${name}` in a replacement. Unknown groups are empty. */
const expanded = (template: string, regex: RE2JS, { groups }: Match): string =>
  template.replace(reference, (_, dollar, bare, braced) => {
    if (dollar !== undefined) return '$'
    const name = String(bare ?? braced)
    const group = /^\d+$/.test(name) ? Number(name) : regex.namedGroups()[name]
    return group === undefined ? '' : (groups[group] ?? '')
  })

const split = (regex: RE2JS, text: string, most: number): GoValue => {
  if (most === 0) return nilList('string')
  if (regex.pattern() !== '' && text === '') return textList([''])
  const parts: string[] = []
  let [start, end] = [0, 0]
  for (const match of matches(regex, text)) {
    if (most > 0 && parts.length === most - 1) break
    end = match.start
    if (match.end !== 0) parts.push(text.slice(start, end))
    start = match.end
  }
  if (end !== text.length) parts.push(text.slice(start))
  return textList(parts)
}

/** Only `regexMatch` returns false for an invalid pattern. */
const isMatchOrFalse = (call: Call, pattern: string, text: string): boolean => holds(() => isMatch(call, pattern, text))

const isMatch = (call: Call, pattern: string, text: string): boolean => compiled(call, pattern).matcher(text).find()

const rows = (compile: Compile): FunctionTable => ({
  Find: within('string string', (call, pattern, text) => first(compile(call, pattern), text)),
  FindAll: within('string string int', (call, pattern, text, most) => all(compile(call, pattern), text, most)),
  ReplaceAll: within('string string string', (call, pattern, text, template) => {
    const regex = compile(call, pattern)
    return replaced(call, regex, text, match => expanded(template, regex, match))
  }),
  ReplaceAllLiteral: within('string string string', (call, pattern, text, by) =>
    replaced(call, compile(call, pattern), text, () => by),
  ),
  Split: within('string string int', (call, pattern, text, most) => split(compile(call, pattern), text, most)),
})

const prefixed = (prefix: string, table: FunctionTable): FunctionTable =>
  Object.fromEntries(Object.entries(table).map(([name, row]) => [prefix + name, row]))

export const regexes: FunctionTable = {
  ...prefixed('regex', rows(compiledOrPanic)),
  ...prefixed('mustRegex', rows(compiled)),
  regexMatch: within('string string', isMatchOrFalse),
  mustRegexMatch: within('string string', isMatch),
  regexQuoteMeta: fn('string', text => text.replaceAll(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
}
