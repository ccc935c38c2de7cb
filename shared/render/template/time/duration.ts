// Go's durations: nanoseconds, written as `1h30m0s`.
import { nanosIn } from '../../../core/time/duration.ts'
import { quote } from '../format/quote.ts'
import { Failure } from '../run/failure.ts'

const part = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y
export const second = 1_000_000_000n

export const parseDuration = (text: string): bigint => {
  const body = text.replace(/^[+-]/, '')
  if (body === '0') return 0n
  let total = 0n
  let at = 0
  for (part.lastIndex = 0; at < body.length; at = part.lastIndex) {
    const [, whole = '', digits = '', unit = ''] = part.exec(body) ?? []
    const size = nanosIn[unit]
    if (size === undefined || whole + digits === '') throw new Failure(fault(text, body.slice(at)))
    total += BigInt(whole || '0') * size + (BigInt(digits || '0') * size) / 10n ** BigInt(digits.length)
  }
  if (body === '') throw new Failure(fault(text, ''))
  return text.startsWith('-') ? -total : total
}

const fault = (text: string, rest: string): string => {
  const [, digits = '', unit = ''] = /^([\d.]*)([^\d.]*)/.exec(rest) ?? []
  if (digits.replaceAll('.', '') === '') return `time: invalid duration ${quote(text)}`
  return unit === ''
    ? `time: missing unit in duration ${quote(text)}`
    : `time: unknown unit ${quote(unit)} in duration ${quote(text)}`
}

export const durationText = (nanoseconds: bigint): string => {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  const sign = nanoseconds < 0n ? '-' : ''
  if (size === 0n) return '0s'
  const small = (['ns', 'µs', 'ms'] as const).find((_, index) => size < 1_000n ** BigInt(index + 1))
  if (small !== undefined) return `${sign}${ratio(size, nanosIn[small] ?? 1n)}${small}`
  const minutes = size / (60n * second)
  const rest = `${ratio(size % (60n * second), second)}s`
  if (minutes === 0n) return sign + rest
  const hours = minutes / 60n
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${rest}`
}

const ratio = (size: bigint, unit: bigint): string => {
  const part = String(size % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '')
  return `${size / unit}${part === '' ? '' : `.${part}`}`
}
