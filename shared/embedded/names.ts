// Checks names like the API server, and makes random suffixes.
import { randomBytes } from 'node:crypto'
import { hasSubdomainForm, longestSubdomain, subdomainDetail } from '../core/objects/dns-name.ts'

/** Letters and digits without vowels, so that random texts form no words. */
const letters = 'bcdfghjklmnpqrstvwxz2456789'
const longestPrefix = 58

/** Five characters without vowels, as the API server appends them. */
export const randomSuffix = (): string => [...randomBytes(5)].map(byte => letters[byte % letters.length]).join('')

export const generatedName = (prefix: string): string => prefix.slice(0, longestPrefix) + randomSuffix()

/** A text of safe letters for each character of the text. */
export const safeText = (text: string): string =>
  [...text].map(character => letters[character.charCodeAt(0) % letters.length]).join('')

/** FNV-1a, 32 bits. */
export const textHash = (text: string): number => {
  let hash = 2166136261
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619) >>> 0
  return hash
}

const labelPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const qualifiedPattern = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const labelValuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

const labelFault =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const qualifiedFault =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValueFault =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

export type NameCheck = (name: string) => string[]

const longerThan = (name: string, most: number): string[] =>
  name.length > most ? [`must be no more than ${most} bytes`] : []

export const subdomainFaults: NameCheck = name => [
  ...longerThan(name, longestSubdomain),
  ...(hasSubdomainForm(name) ? [] : [subdomainDetail]),
]

export const labelNameFaults: NameCheck = name => [
  ...longerThan(name, 63),
  ...(labelPattern.test(name) ? [] : [hasSubdomainForm(name) ? 'must not contain dots' : labelFault]),
]

/** Faults of names that only need to fit into a path, such as names of RBAC objects. */
export const pathSegmentFaults: NameCheck = name => {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return ['/', '%'].filter(part => name.includes(part)).map(part => `may not contain '${part}'`)
}

export const qualifiedNameFaults: NameCheck = key => {
  const parts = key.split('/')
  if (parts.length > 2)
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined
  return [
    ...(prefix === '' ? ['prefix part must be non-empty'] : []),
    ...(prefix ? subdomainFaults(prefix).map(fault => `prefix part ${fault}`) : []),
    ...(name === '' ? ['name part must be non-empty'] : longerThan(name, 63).map(fault => `name part ${fault}`)),
    ...(qualifiedPattern.test(name) ? [] : [qualifiedFault]),
  ]
}

export const labelValueFaults: NameCheck = value => [
  ...longerThan(value, 63),
  ...(labelValuePattern.test(value) ? [] : [labelValueFault]),
]
