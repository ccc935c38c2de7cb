// Label selectors in their text form: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`.
import { RenderError } from '../generator.ts'

type Requirement = { readonly key: string; readonly operator: string; readonly values: readonly string[] }

/** Whether labels meet every requirement of the selector; '' asks for nothing. Throws RenderError for what is no selector. */
export const labelsMatch = (selector: string, labels: Readonly<Record<string, string>>): boolean =>
  requirementsOf(selector).every(({ key, operator, values }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined
    return operators[operator]?.(value, values) ?? false
  })

type Holds = (value: string | undefined, values: readonly string[]) => boolean

const isOneOf: Holds = (value, values) => value !== undefined && values.includes(value)
const isNoneOf: Holds = (value, values) => value === undefined || !values.includes(value)

const operators: Readonly<Record<string, Holds>> = {
  '': value => value !== undefined,
  '!': value => value === undefined,
  '=': isOneOf,
  '==': isOneOf,
  in: isOneOf,
  '!=': isNoneOf,
  notin: isNoneOf,
  '>': (value, [limit]) => value !== undefined && Number(value) > Number(limit),
  '<': (value, [limit]) => value !== undefined && Number(value) < Number(limit),
}

const word = String.raw`[A-Za-z0-9](?:[-\w./]*[A-Za-z0-9])?`
const form = new RegExp(
  String.raw`^\s*(?:(?<absent>!)\s*)?(?<key>${word})\s*(?:(?<sign>==?|!=|<|>)\s*(?<value>[-\w.]*)|(?<set>in|notin)\s*\((?<values>[^()]*)\))?\s*$`,
)

const requirementsOf = (selector: string): Requirement[] =>
  selector.trim() === '' ? [] : parts(selector).map(part => requirement(part, selector))

/** At commas outside of parentheses. */
const parts = (selector: string): string[] => {
  const result = ['']
  let depth = 0
  for (const character of selector) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) result.push('')
    else result.push(`${result.pop()}${character}`)
  }
  return result
}

const requirement = (part: string, selector: string): Requirement => {
  const { absent, key, sign, value, set, values } = form.exec(part)?.groups ?? {}
  if (key === undefined || (absent && (sign || set)))
    throw new RenderError(`unable to parse selector ${JSON.stringify(selector)}`)
  if (set) return { key, operator: set, values: (values ?? '').split(',').map(one => one.trim()) }
  return { key, operator: absent ?? sign ?? '', values: sign ? [value ?? ''] : [] }
}
