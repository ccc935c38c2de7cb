// CEL functions of texts that the language lacks: regular expressions, replacing, formatting, URLs.
import type { Environment } from '@marcbachmann/cel-js'
import { allFound } from '../crd/formats.ts'
import { withFunctions } from './functions.ts'

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

/** Keeps a port that is written, even the scheme's default. */
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
