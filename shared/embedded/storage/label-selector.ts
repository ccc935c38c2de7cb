// Label selectors: the text form of a query parameter, parsed with the API server's grammar and words, and the structured
// form inside objects.
import { labelValueFaults, qualifiedNameFaults } from '../names.ts'
import { badRequest, type StatusError } from '../status.ts'
import { fieldsAt, isMap, listAt, own } from '../value.ts'

type Operator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt'
export type Requirement = { readonly key: string; readonly operator: Operator; readonly values: readonly string[] }
export type Labels = Readonly<Record<string, string>> | undefined

const holds: Record<Operator, (value: string | undefined, values: readonly string[]) => boolean> = {
  '=': (value, values) => value !== undefined && values.includes(value),
  in: (value, values) => value !== undefined && values.includes(value),
  '!=': (value, values) => value === undefined || !values.includes(value),
  notin: (value, values) => value === undefined || !values.includes(value),
  exists: value => value !== undefined,
  '!': value => value === undefined,
  gt: (value, [than]) => value !== undefined && Number(value) > Number(than),
  lt: (value, [than]) => value !== undefined && Number(value) < Number(than),
}

export const matchesLabels = (requirements: readonly Requirement[], labels: Labels): boolean =>
  requirements.every(({ key, operator, values }) => {
    const value = own(labels as Record<string, unknown> | undefined, key)
    return holds[operator](typeof value === 'string' ? value : undefined, values)
  })

/** Parses `a=b,c in (d,e),!f`; throws BadRequest for anything else. */
export const parseLabelSelector = (text: string): Requirement[] => {
  const tokens = new Tokens(text)
  const requirements: Requirement[] = []
  if (tokens.peek() === '') return requirements
  for (;;) {
    requirements.push(requirement(tokens))
    const next = tokens.take()
    if (next === '') return requirements
    if (next !== ',') throw badRequest(`found '${next}', expected: ',' or 'end of string'`)
    if (!isWord(tokens.peek()) && tokens.peek() !== '!')
      throw badRequest(`found '${tokens.peek()}', expected: identifier after ','`)
  }
}

const tokenPattern = /\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+)/gy

class Tokens {
  readonly #tokens: string[] = []
  #next = 0

  constructor(text: string) {
    for (const [, token = ''] of text.matchAll(tokenPattern)) this.#tokens.push(token)
  }

  /** '' at the end. */
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

const unparsable = (found: string, expected: string): StatusError =>
  badRequest(`unable to parse requirement: found '${found}', expected: ${expected}`)

const requirement = (tokens: Tokens): Requirement => {
  const isNot = tokens.peek() === '!' && tokens.take() === '!'
  const key = tokens.take()
  if (!isWord(key)) throw unparsable(key, 'identifier')
  refuseKey(key)
  if (isNot) return { key, operator: '!', values: [] }
  const next = tokens.peek()
  if (next === '' || next === ',') return { key, operator: 'exists', values: [] }
  const operator = symbols[tokens.take()]
  if (!operator) throw unparsable(next, 'in, notin, =, ==, !=, gt, lt')
  const values = operator === 'in' || operator === 'notin' ? valueSet(tokens) : [exactValue(tokens)]
  for (const value of values) refuseValue(key, value)
  return { key, operator, values }
}

const refuseKey = (key: string): void => {
  const [fault] = qualifiedNameFaults(key)
  if (fault) throw badRequest(`unable to parse requirement: key: Invalid value: ${JSON.stringify(key)}: ${fault}`)
}

const refuseValue = (key: string, value: string): void => {
  const [fault] = labelValueFaults(value)
  if (fault)
    throw badRequest(
      `unable to parse requirement: values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${fault}`,
    )
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
  if (open !== '(') throw badRequest(`unable to parse requirement: found '${open}' expected: '('`)
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

const structuredOperators: Record<string, Operator> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' }

/** `{matchLabels, matchExpressions}`; undefined selects nothing, an empty one everything. */
export const structuredSelector = (selector: unknown): Requirement[] | undefined => {
  if (!isMap(selector)) return undefined
  const labels = Object.entries(fieldsAt(selector, 'matchLabels') ?? {}).map(
    ([key, value]): Requirement => ({ key, operator: '=', values: [String(value)] }),
  )
  const expressions = listAt(selector, 'matchExpressions')
    .filter(isMap)
    .map(
      (expression): Requirement => ({
        key: String(expression.key),
        operator: structuredOperators[String(expression.operator)] ?? 'in',
        values: listAt(expression, 'values').map(String),
      }),
    )
  return [...labels, ...expressions]
}
