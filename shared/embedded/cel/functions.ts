// CEL functions of lists, sets and texts that the library lacks: regular expressions, replacing, formatting, URLs, named formats; and
// equality of optional values.
import { type Environment, Optional } from '@marcbachmann/cel-js'
import { allFound, fitsFormat } from '../kinds/formats.ts'
import { labelNameFaults, labelValueFaults, type NameCheck, qualifiedNameFaults, subdomainFaults } from '../names.ts'

type Functions = Readonly<Record<string, (...values: never[]) => unknown>>

/** Adds functions by their signatures. */
export const withFunctions = (environment: Environment, functions: Functions): Environment => {
  for (const [signature, handler] of Object.entries(functions)) environment.registerFunction(signature, handler)
  return environment
}

type Ordered = bigint | number | string | boolean

const extreme = (list: Ordered[], isBetter: (candidate: Ordered, best: Ordered) => boolean, name: string): Ordered => {
  const [first, ...rest] = list
  if (first === undefined) throw new Error(`${name} called on empty list`)
  return rest.reduce((best, each) => (isBetter(each, best) ? each : best), first)
}

const includes = (list: unknown[], item: unknown): boolean => list.some(each => celEqual(each, item))
const containsAll = (list: unknown[], part: unknown[]): boolean => part.every(item => includes(list, item))

const ascending = (left: unknown, right: unknown): number =>
  left === right ? 0 : (left as Ordered) < (right as Ordered) ? -1 : 1

const distinct = (list: unknown[]): unknown[] =>
  list.filter((item, index) => list.findIndex(each => celEqual(each, item)) === index)

const part = (list: unknown[], from: bigint, to: bigint): unknown[] => {
  if (from < 0n || from > to || to > list.length)
    throw new Error(`cannot slice(${from}, ${to}), list is length ${list.length}`)
  return list.slice(Number(from), Number(to))
}

class ListsNamespace {}

const atEnd = (list: unknown[], index: number): Optional =>
  list.length > 0 ? Optional.of(list.at(index)) : Optional.none()

export const addLists = (environment: Environment): Environment =>
  withFunctions(
    addOrders(environment)
      .registerType('ListsNamespace', ListsNamespace)
      .registerConstant('lists', 'ListsNamespace', new ListsNamespace()),
    {
      'ListsNamespace.range(int): list<int>': (_: unknown, count: bigint) =>
        Array.from({ length: Number(count) }, (_, index) => BigInt(index)),
      'list<T>.first(): optional<T>': (list: unknown[]) => atEnd(list, 0),
      'list<T>.last(): optional<T>': (list: unknown[]) => atEnd(list, -1),
      'list<int>.sum(): int': (list: bigint[]) => list.reduce((sum, each) => sum + each, 0n),
      'list<double>.sum(): double': (list: number[]) => list.reduce((sum, each) => sum + each, 0),
      'list<T>.min(): T': (list: Ordered[]) => extreme(list, (each, best) => each < best, 'min'),
      'list<T>.max(): T': (list: Ordered[]) => extreme(list, (each, best) => each > best, 'max'),
      'list<T>.indexOf(T): int': (list: unknown[], item: unknown) =>
        BigInt(list.findIndex(each => celEqual(each, item))),
      'list<T>.lastIndexOf(T): int': (list: unknown[], item: unknown) =>
        BigInt(list.findLastIndex(each => celEqual(each, item))),
    },
  )

const addOrders = (environment: Environment): Environment =>
  withFunctions(environment, {
    'list.isSorted(): bool': (list: Ordered[]) =>
      list.every((each, index) => index === 0 || (list[index - 1] ?? each) <= each),
    'list<T>.sort(): list<T>': (list: unknown[]) => list.toSorted(ascending),
    'list<T>.reverse(): list<T>': (list: unknown[]) => list.toReversed(),
    'list<T>.distinct(): list<T>': distinct,
    'list<T>.slice(int, int): list<T>': part,
    'list.flatten(): list<dyn>': (list: unknown[]) => list.flat(),
    'list.flatten(int): list<dyn>': (list: unknown[], depth: bigint) => list.flat(Number(depth)),
  })

class SetsNamespace {}

export const addSets = (environment: Environment): Environment =>
  withFunctions(
    environment
      .registerType('SetsNamespace', SetsNamespace)
      .registerConstant('sets', 'SetsNamespace', new SetsNamespace()),
    {
      'SetsNamespace.contains(list, list): bool': (_: unknown, list: unknown[], part: unknown[]) =>
        containsAll(list, part),
      'SetsNamespace.equivalent(list, list): bool': (_: unknown, left: unknown[], right: unknown[]) =>
        containsAll(left, right) && containsAll(right, left),
      'SetsNamespace.intersects(list, list): bool': (_: unknown, left: unknown[], right: unknown[]) =>
        left.some(item => includes(right, item)),
    },
  )

const celEqual = (left: unknown, right: unknown): boolean => spelled(left) === spelled(right)

const spelled = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? 'null'

/** Types that can be compared with null although their values are never null. */
const nullable = ['optional<list<string>>', 'google.protobuf.Timestamp', 'google.protobuf.Duration']

export const addEqualities = (environment: Environment): Environment => {
  environment.registerOperator('optional<T> == optional<T>', (left: Optional, right: Optional) =>
    left.hasValue() && right.hasValue() ? celEqual(left.value(), right.value()) : left.hasValue() === right.hasValue(),
  )
  for (const type of nullable) environment.registerOperator(`${type} == null`, () => false)
  return environment
}

const replaced = (text: string, from: string, to: string, most: bigint): string => {
  const parts = text.split(from)
  const count = most < 0n ? parts.length - 1 : Math.min(Number(most), parts.length - 1)
  return [parts.slice(0, count + 1).join(to), ...parts.slice(count + 1)].join(from)
}

const shown = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z')
  if (typeof value !== 'object' || value === null) return String(value)
  return `{${Object.entries(value)
    .map(([key, each]) => `${key}: ${shown(each)}`)
    .join(', ')}}`
}

const radix: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16 }

const formatted = (format: string, values: unknown[]): string => {
  let index = 0
  return format.replace(/%(?:\.(\d+))?([sdfexXob%])/g, (_, digits: string | undefined, verb: string) => {
    if (verb === '%') return '%'
    const value = values[index++]
    if (verb === 'f') return Number(value).toFixed(Number(digits ?? 6))
    if (verb === 'e') return Number(value).toExponential(Number(digits ?? 6))
    const base = radix[verb.toLowerCase()]
    if (!base || typeof value !== 'bigint') return shown(value)
    return verb === 'X' ? value.toString(base).toUpperCase() : value.toString(base)
  })
}

/** Keeps a written port even if it is the default of the scheme. */
class Url extends URL {
  readonly authority: string
  constructor(text: string) {
    super(text)
    this.authority = /^[^:]*:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(text)?.[1] ?? ''
  }
}

const portOf = ({ authority }: Url): string => /:(\d+)$/.exec(authority)?.[1] ?? ''

export const addTexts = (environment: Environment): Environment => addUrls(addText(environment))

const addText = (environment: Environment): Environment =>
  withFunctions(environment, {
    'string.find(string): string': (text: string, regex: string) => allFound(regex, text, 1)[0] ?? '',
    'string.findAll(string): list<string>': (text: string, regex: string) => allFound(regex, text),
    'string.findAll(string, int): list<string>': (text: string, regex: string, most: bigint) =>
      allFound(regex, text, most < 0n ? undefined : Number(most)),
    'string.charAt(int): string': (text: string, index: bigint) => [...text][Number(index)] ?? '',
    'string.replace(string, string): string': (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    'string.replace(string, string, int): string': replaced,
    'string.reverse(): string': (text: string) => [...text].reverse().join(''),
    'string.format(list): string': formatted,
  })

const addUrls = (environment: Environment): Environment =>
  withFunctions(environment.registerType('URL', Url), {
    'url(string): URL': (text: string) => new Url(text),
    'isURL(string): bool': (text: string) => URL.canParse(text),
    'URL.getScheme(): string': ({ protocol }: Url) => protocol.slice(0, -1),
    'URL.getHost(): string': ({ authority }: Url) => authority,
    'URL.getHostname(): string': ({ hostname }: Url) => hostname.replace(/^\[|\]$/g, ''),
    'URL.getPort(): string': portOf,
    'URL.getEscapedPath(): string': ({ pathname }: Url) => pathname,
  })

/** CEL's `format`: Kubernetes' string formats by name. `validate` returns the faults, if any. */
class Format {
  readonly name: string
  readonly faults: NameCheck
  constructor(name: string, faults: NameCheck) {
    this.name = name
    this.faults = faults
  }
}

const letterFirst = /^[a-z]([-a-z0-9]*[a-z0-9])?$/

const letterFirstFaults: NameCheck = text => [
  ...(text.length > 63 ? ['must be no more than 63 bytes'] : []),
  ...(letterFirst.test(text)
    ? []
    : [
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
      ]),
]

/** Checks the prefix of a generated name. */
const asPrefix =
  (check: NameCheck): NameCheck =>
  text =>
    check(text.endsWith('-') ? `${text.slice(0, -1)}a` : text)

const known =
  (format: string, fault: string): NameCheck =>
  text =>
    fitsFormat(format, text) ? [] : [fault]

const checks: Readonly<Record<string, NameCheck>> = {
  dns1123Label: labelNameFaults,
  dns1123Subdomain: subdomainFaults,
  dns1035Label: letterFirstFaults,
  qualifiedName: qualifiedNameFaults,
  dns1123LabelPrefix: asPrefix(labelNameFaults),
  dns1123SubdomainPrefix: asPrefix(subdomainFaults),
  dns1035LabelPrefix: asPrefix(letterFirstFaults),
  labelValue: labelValueFaults,
  uri: known('uri', 'must be a valid URI'),
  uuid: known('uuid', 'does not match the UUID format'),
  byte: known('byte', 'invalid base64'),
  date: known('date', 'invalid date'),
  datetime: known('date-time', 'invalid datetime'),
}

class FormatNamespace {}

const validated = ({ faults }: Format, text: string): Optional<string[]> => {
  const found = faults(text)
  return found.length > 0 ? Optional.of(found) : Optional.none()
}

export const addNamedFormats = (environment: Environment): Environment => {
  const formats = new Map(Object.entries(checks).map(([name, check]) => [name, new Format(name, check)]))
  environment
    .registerType('Format', Format)
    .registerType('FormatNamespace', FormatNamespace)
    .registerConstant('format', 'FormatNamespace', new FormatNamespace())
    .registerFunction('FormatNamespace.named(string): optional<Format>', (_: unknown, name: string) => {
      const format = formats.get(name)
      return format ? Optional.of(format) : Optional.none()
    })
    .registerFunction('Format.validate(string): optional<list<string>>', validated)
  for (const [name, format] of formats) environment.registerFunction(`FormatNamespace.${name}(): Format`, () => format)
  return environment
}
