// Writes floating-point numbers as Go's strconv does. A precision rounds the exact decimal expansion, and rounds halves to even.

/** 0.d1d2d3… × 10^point. */
type Decimal = { readonly digits: string; readonly point: number }

/** `verb`: e, E, f, g, G, b, x or X. A precision of -1 means the fewest digits that identify the number. */
export const formatFloat = (value: number, verb: string, precision: number): string => {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const write = writers[verb]
  return sign + (write === undefined ? `%${verb}` : write(Math.abs(value), precision))
}

type Write = (value: number, precision: number) => string

const writers: Readonly<Record<string, Write>> = {
  e: (value, precision) => exponential(decimal(value, precision < 0 ? -1 : precision + 1), precision, 'e'),
  E: (value, precision) => exponential(decimal(value, precision < 0 ? -1 : precision + 1), precision, 'E'),
  f: (value, precision) => fixed(precision < 0 ? shortest(value) : roundedAt(exact(value), precision), precision),
  g: (value, precision) => general(value, precision, 'e'),
  G: (value, precision) => general(value, precision, 'E'),
  b: value => binary(value),
  x: (value, precision) => hexadecimal(value, precision),
  X: (value, precision) => hexadecimal(value, precision).toUpperCase(),
}

const decimal = (value: number, digits: number): Decimal =>
  digits < 0 ? shortest(value) : rounded(exact(value), digits)

const shortest = (value: number): Decimal => {
  if (value === 0) return { digits: '', point: 0 }
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 }
}

const exact = (value: number): Decimal => {
  if (value === 0) return { digits: '', point: 0 }
  const { mantissa, exponent } = parts(value)
  const isWhole = exponent >= 0
  const digits = (isWhole ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent)).toString()
  return { digits: digits.replace(/0+$/, ''), point: digits.length + (isWhole ? 0 : exponent) }
}

/** value = mantissa × 2^exponent. */
const parts = (value: number): { mantissa: bigint; exponent: number } => {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 }
}

const rounded = ({ digits, point }: Decimal, count: number): Decimal => {
  if (count < 0) return { digits: '', point: 0 }
  if (digits.length <= count) return { digits, point }
  const kept = digits.slice(0, count)
  if (!isUp(kept, digits.slice(count))) return { digits: kept, point }
  const up = (BigInt(kept || '0') + 1n).toString().padStart(count, '0')
  return { digits: up, point: point + up.length - count }
}

const isUp = (kept: string, rest: string): boolean => {
  if (/^50*$/.test(rest)) return Number(kept.at(-1) ?? 0) % 2 === 1
  return rest >= '5'
}

const roundedAt = (number: Decimal, places: number): Decimal => rounded(number, number.point + places)

const fixed = ({ digits, point }: Decimal, precision: number): string => {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0'
  const part = point > 0 ? digits.slice(point) : digits === '' ? '' : '0'.repeat(-point) + digits
  const places = precision < 0 ? part.length : precision
  return places === 0 ? whole : `${whole}.${part.padEnd(places, '0').slice(0, places)}`
}

const exponential = ({ digits, point }: Decimal, precision: number, mark: string): string => {
  const exponent = digits === '' ? 0 : point - 1
  const places = precision < 0 ? Math.max(digits.length - 1, 0) : precision
  const part = places === 0 ? '' : `.${digits.slice(1, 1 + places).padEnd(places, '0')}`
  const size = String(Math.abs(exponent)).padStart(2, '0')
  return `${digits[0] ?? '0'}${part}${mark}${exponent < 0 ? '-' : '+'}${size}`
}

const general = (value: number, precision: number, mark: string): string => {
  const isShortest = precision < 0
  const wanted = precision === 0 ? 1 : precision
  const number = isShortest ? shortest(value) : rounded(exact(value), wanted)
  const digits = number.digits.replace(/0+$/, '')
  const exponent = number.digits === '' ? 0 : number.point - 1
  const most = isShortest ? 6 : wanted > digits.length && digits.length >= number.point ? digits.length : wanted
  const isExponential = exponent < -4 || exponent >= most
  if (isExponential) return exponential({ ...number, digits }, digits.length - 1, mark)
  return fixed({ ...number, digits }, Math.max(digits.length - number.point, 0))
}

const binary = (value: number): string => {
  const { mantissa, exponent } = parts(value)
  return `${mantissa}p${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
}

const hexadecimal = (value: number, precision: number): string => {
  const { mantissa, exponent } = parts(value)
  if (mantissa === 0n) return `0x0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}p+00`
  const width = mantissa.toString(2).length
  const normal = mantissa << BigInt(53 - width)
  const kept = precision < 0 || precision >= 13 ? normal : roundedBits(normal, 52 - 4 * precision)
  const scale = kept >> 53n === 1n ? 1 : 0
  const part = ((kept >> BigInt(scale)) & 0xfffffffffffffn).toString(16).padStart(13, '0')
  const shown = precision < 0 ? part.replace(/0+$/, '') : part.padEnd(precision, '0').slice(0, precision)
  const power = exponent + width - 1 + scale
  const size = String(Math.abs(power)).padStart(2, '0')
  return `0x1${shown === '' ? '' : `.${shown}`}p${power < 0 ? '-' : '+'}${size}`
}

const roundedBits = (bits: bigint, dropped: number): bigint => {
  const unit = 1n << BigInt(dropped)
  const rest = bits & (unit - 1n)
  const kept = bits - rest
  const isOdd = (kept & unit) !== 0n
  return rest * 2n > unit || (rest * 2n === unit && isOdd) ? kept + unit : kept
}
