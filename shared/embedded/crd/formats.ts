// String formats that the API server checks, and Go's patterns. Matching takes linear time, because users write the patterns.
import { isIPv4, isIPv6 } from 'node:net'
import { RE2JS, RE2JSSyntaxException } from 're2js'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import { keptOrMade } from '../../core/memory/remembered.ts'
import { parseNetwork } from '../../core/network/cidr.ts'
import { base64Fault } from '../kinds/formats.ts'

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
