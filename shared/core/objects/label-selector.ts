// Parses label selectors in text form, with the API server's grammar and messages, and the structured form in objects.
//
//   matchesLabels(parseLabelSelector('tier in (web,db),!legacy'), { tier: 'web' }) // true
//   labelSelectorText({ tier: 'web', app: 'shop' }) // 'tier=web,app=shop'
//   matchesLabels(structuredSelector({ matchLabels: { tier: 'web' } }) ?? [], { tier: 'db' }) // false
import { checks } from '../decisions/checks.ts'
import { own, valueAt } from '../json/fields.ts'
import { isMap, mapOrEmpty } from '../json/json.ts'
import { isLabelKey, isLabelValue } from './dns-name.ts'

type Operator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt' | 'unknown'
export type Requirement = { readonly key: string; readonly operator: Operator; readonly values: readonly string[] }
type Labels = Readonly<Record<string, string>> | undefined

export class LabelSelectorError extends Error {}

type RequirementFault = (requirement: Requirement) => string | undefined

const holds: Record<Operator, (value: string | undefined, values: readonly string[]) => boolean> = {
  '=': (value, values) => value !== undefined && values.includes(value),
  in: (value, values) => value !== undefined && values.includes(value),
  '!=': (value, values) => value === undefined || !values.includes(value),
  notin: (value, values) => value === undefined || !values.includes(value),
  exists: value => value !== undefined,
  '!': value => value === undefined,
  gt: (value, [than]) => value !== undefined && Number(value) > Number(than),
  lt: (value, [than]) => value !== undefined && Number(value) < Number(than),
  unknown: () => false,
}

export const matchesLabels = (requirements: readonly Requirement[], labels: Labels): boolean =>
  requirements.every(({ key, operator, values }) => {
    const value = own(labels as Record<string, unknown> | undefined, key)
    return holds[operator](typeof value === 'string' ? value : undefined, values)
  })

/** The text form of a selector for objects with all of these labels; '' without labels. */
export const labelSelectorText = (labels: Readonly<Record<string, unknown>>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')

/** Parses `a=b,c in (d,e),!f`; '' has no requirements. Throws LabelSelectorError. */
export const parseLabelSelector = (text: string, faultOf: RequirementFault = plainFault): Requirement[] => {
  const tokens = new Tokens(text)
  const requirements: Requirement[] = []
  if (tokens.peek() === '') return requirements
  for (;;) {
    const next = requirement(tokens)
    refuse(faultOf(next))
    requirements.push(next)
    const end = tokens.take()
    if (end === '') return requirements
    if (end !== ',') refuse(`found '${end}', expected: ',' or 'end of string'`)
    if (!isWord(tokens.peek()) && tokens.peek() !== '!')
      refuse(`found '${tokens.peek()}', expected: identifier after ','`)
  }
}

const refuse = (fault: string | undefined): void => {
  if (fault !== undefined) throw new LabelSelectorError(fault)
}

const plainFault: RequirementFault = ({ key, values }) => {
  if (!isLabelKey(key)) return `${JSON.stringify(key)} is not a valid label key`
  const value = values.find(value => !isLabelValue(value))
  return value === undefined ? undefined : `${JSON.stringify(value)} is not a valid label value`
}

const tokenPattern = /\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+)/gy

class Tokens {
  readonly #tokens: string[] = []
  #next = 0

  constructor(text: string) {
    for (const [, token = ''] of text.matchAll(tokenPattern)) this.#tokens.push(token)
  }

  peek(): string {
    return this.#tokens[this.#next] ?? ''
  }

  take(): string {
    return this.#tokens[this.#next++] ?? ''
  }
}

const isWord = (token: string): boolean => token !== '' && !/^[=!<>(),]/.test(token)

const symbols: Record<string, Operator> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
  in: 'in',
  notin: 'notin',
  gt: 'gt',
  lt: 'lt',
}

const unparsable = (found: string, expected: string): LabelSelectorError =>
  new LabelSelectorError(`unable to parse requirement: found '${found}', expected: ${expected}`)

const requirement = (tokens: Tokens): Requirement => {
  const isNot = tokens.peek() === '!' && tokens.take() === '!'
  const key = tokens.take()
  if (!isWord(key)) throw unparsable(key, 'identifier')
  if (isNot) return { key, operator: '!', values: [] }
  const next = tokens.peek()
  if (next === '' || next === ',') return { key, operator: 'exists', values: [] }
  const operator = symbols[tokens.take()]
  if (!operator) throw unparsable(next, 'in, notin, =, ==, !=, gt, lt')
  const values = operator === 'in' || operator === 'notin' ? valueSet(tokens) : [exactValue(tokens)]
  return { key, operator, values }
}

const exactValue = (tokens: Tokens): string => {
  const next = tokens.peek()
  if (next === '' || next === ',') return ''
  tokens.take()
  if (!isWord(next)) throw unparsable(next, 'identifier')
  return next
}

const valueSet = (tokens: Tokens): string[] => {
  const open = tokens.take()
  if (open !== '(') throw new LabelSelectorError(`unable to parse requirement: found '${open}' expected: '('`)
  const values: string[] = []
  for (let expectsWord = true; ; expectsWord = !expectsWord) {
    const token = tokens.take()
    if (expectsWord && isWord(token)) values.push(token)
    else if (token === ')') return expectsWord ? [...values, ''] : values
    else if (expectsWord && token === ',') {
      values.push('')
      expectsWord = false
    } else if (!(token === ',' && !expectsWord))
      throw unparsable(token, expectsWord ? "',', ')' or identifier" : "',' or ')'")
  }
}

const structuredOperators: ReadonlyMap<unknown, Operator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  // The API allows these operators only in node selectors.
  ['Gt', 'gt'],
  ['Lt', 'lt'],
])

/** `{matchLabels, matchExpressions}`. The result undefined selects nothing, and an empty list selects everything. */
export const structuredSelector = (selector: unknown): Requirement[] | undefined => {
  if (!isMap(selector)) return undefined
  const labels = Object.entries(mapOrEmpty(selector.matchLabels)).map(
    ([key, value]): Requirement => ({ key, operator: '=', values: [String(value)] }),
  )
  return [...labels, ...listIn(selector, 'matchExpressions').filter(isMap).map(expressed)]
}

/** An unknown operator selects nothing. */
const expressed = (expression: Readonly<Record<string, unknown>>): Requirement => ({
  key: String(expression.key),
  operator: structuredOperators.get(expression.operator) ?? 'unknown',
  values: listIn(expression, 'values').map(String),
})

/** The reason why a structured selector is invalid, in Go's words; undefined when it is valid. */
export const structuredSelectorFault = (selector: unknown): string | undefined =>
  listIn(selector, 'matchExpressions')
    .filter(isMap)
    .map(expression => ({ expression, requirement: expressed(expression) }))
    .map(({ expression, requirement }) => expressionFault(expression, requirement) ?? plainFault(requirement))
    .find(fault => fault !== undefined)

const expressionFault = checks<[Readonly<Record<string, unknown>>, Requirement], string>(
  ({ operator }, requirement) =>
    ['unknown', 'gt', 'lt'].includes(requirement.operator) &&
    `${JSON.stringify(operator)} is not a valid label selector operator`,
  (_, { operator, values }) =>
    ['in', 'notin'].includes(operator) &&
    values.length === 0 &&
    "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  (_, { operator, values }) =>
    ['exists', '!'].includes(operator) &&
    values.length > 0 &&
    `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`,
)

const listIn = (fields: unknown, field: string): unknown[] => {
  const list = valueAt(fields, field)
  return Array.isArray(list) ? list : []
}
