// Text formats: times and bytes of built-in fields like Go, with Go's messages; the string formats of schemas; and Go's patterns. Matching
// takes linear time, because users write the patterns.
import { isIPv4, isIPv6 } from 'node:net'
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import { keptOrMade } from '../../core/memory/remembered.ts'
import { parseNetwork } from '../../core/network/cidr.ts'

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** The time in UTC with this number of digits after the second; undefined for an invalid time. */
export const canonicalTime = (text: string, fractionDigits: number): string | undefined => {
  const time = rfc3339.test(text) ? new Date(text) : undefined
  if (!time || Number.isNaN(time.getTime())) return undefined
  const given = /\.(\d+)/.exec(text)?.[1] ?? ''
  if (fractionDigits && given.length !== fractionDigits) return undefined
  const digits = given.slice(0, fractionDigits)
  return `${time.toISOString().slice(0, 19)}${fractionDigits ? `.${digits}` : ''}Z`
}

export const timeFault = (text: string, fractionDigits: number): string => {
  const quoted = JSON.stringify(text)
  const fraction = fractionDigits ? `.${'0'.repeat(fractionDigits)}` : ''
  return `parsing time ${quoted} as "2006-01-02T15:04:05${fraction}Z07:00": cannot parse ${quoted} as "2006"`
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export const base64Fault = (text: string): string | undefined => {
  if (base64.test(text)) return undefined
  const index = text.search(/[^A-Za-z0-9+/]/)
  return `illegal base64 data at input byte ${index === -1 ? Math.floor(text.length / 4) * 4 : index}`
}

const isUri = (text: string): boolean => URL.canParse(text)
const isUuid = (version: string): ((text: string) => boolean) => {
  const pattern = new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i')
  return text => pattern.test(text)
}

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

const isHostLabel = (text: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/i.test(text)

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': text =>
    /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)),
  date: isDate,
  duration: text => /^-?(\d+(\.\d+)?\s*(ns|us|µs|ms|s|m|h|d|w)\s*)+$/.test(text) || text === '0',
  email: text => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hostname: text => text.length <= 253 && text.replace(/\.$/, '').split('.').every(isHostLabel),
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: text => parseNetwork(text) !== undefined,
  mac: text => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text),
  uri: isUri,
  uuid: isUuid('[0-9a-f]'),
  uuid3: isUuid('3'),
  uuid4: isUuid('4'),
  uuid5: isUuid('5'),
  byte: text => base64Fault(text) === undefined,
  'k8s-short-name': text => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
}

/** Whether the text has the format. Every text fits an unknown format. */
export const fitsFormat = (format: string, text: string): boolean =>
  Object.hasOwn(checks, format) ? checks[format]?.(text) === true : true

const keptMost = 1_000

const compiled = new BoundedCache<string, RE2JS>(keptMost)

const goPattern = (pattern: string): RE2JS => keptOrMade(compiled, pattern, () => compiledAnew(pattern))

const compiledAnew = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    throw new Error(`error parsing regexp: ${error.getDescription()}: \`${error.getPattern() ?? pattern}\``)
  }
}

export const isFound = (pattern: string, text: string): boolean => goPattern(pattern).matcher(text).find()

export const allFound = (pattern: string, text: string, most = Number.POSITIVE_INFINITY): string[] => {
  const matcher = goPattern(pattern).matcher(text)
  const found: string[] = []
  while (found.length < most && matcher.find()) found.push(matcher.group() ?? '')
  return found
}
