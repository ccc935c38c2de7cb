// Reads Kubernetes quantities such as 100m, 1.5Gi or 3e6, and writes them in the canonical form of API servers.
//
//   quantityAmount('1.5Gi') // 1610612736
//   quantityNano('100m') // 100000000n
//   canonicalQuantity('1024Mi') // '1Gi'
//   addedQuantities('1Gi', '512Mi') // '1536Mi'

/** The amount as a number, exact to 15 digits; undefined when the text is not a quantity or has more than a hundred digits. */
export const quantityAmount = (quantity: string | number): number | undefined => {
  if (typeof quantity === 'number') return quantity
  const nano = bounded.test(quantity) ? quantityNano(quantity) : undefined
  return nano === undefined ? undefined : Number(nano) / Number(one)
}

/** Limits the digits, because parsing a million digits would take long. */
const bounded = /^[+-]?\d{0,100}(\.\d{0,100})?([a-zA-Z]{0,2}|[eE][+-]?\d{1,3})$/

const binary = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const decimal: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }
const pattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:(Ki|Mi|Gi|Ti|Pi|Ei)|([numkMGTPE]?)|[eE]([+-]?\d+))$/
const nanoDigits = 9

type Parsed = { nano: bigint; style: 'binary' | 'decimal' | 'exponent' }

export const canonicalQuantity = (text: string): string | undefined => {
  const parsed = parse(text.trim())
  return parsed && write(parsed)
}

/** The exact value in nano units; undefined when the text is not a quantity. */
export const quantityNano = (text: string): bigint | undefined => parse(text.trim())?.nano

/** The sum as API servers write it, in the format of the first quantity that is not zero. `times` -1n gives the difference. */
export const addedQuantities = (left: string, right: string, times = 1n): string => {
  const [one, other] = [parsedOrZero(left), parsedOrZero(right)]
  const { style } = one.nano === 0n ? other : one
  return write({ nano: one.nano + times * other.nano, style })
}

const parsedOrZero = (text: string): Parsed => parse(text.trim()) ?? { nano: 0n, style: 'decimal' }

const parse = (text: string): Parsed | undefined => {
  const match = pattern.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', two, ten, exponent] = match
  if (whole === '' && fraction === '') return undefined
  const power = exponent === undefined ? (decimal[ten ?? ''] ?? 0) : Number(exponent)
  const scaled = scale(BigInt(whole + fraction || '0'), nanoDigits + power - fraction.length)
  const nano = two ? scaled * 1024n ** BigInt(binary.indexOf(two)) : scaled
  const style = two ? 'binary' : exponent === undefined ? 'decimal' : 'exponent'
  return { nano: sign === '-' ? -nano : nano, style }
}

/** value × 10^power, rounded up: less than a nano counts as one nano. */
const scale = (value: bigint, power: number): bigint => {
  if (power >= 0) return value * 10n ** BigInt(Math.min(power, 40))
  const divisor = 10n ** BigInt(Math.min(-power, 400))
  return (value + divisor - 1n) / divisor
}

const one = 10n ** BigInt(nanoDigits)

const write = ({ nano, style }: Parsed): string => {
  const isWhole = nano % one === 0n
  const size = nano < 0n ? -nano : nano
  if (style === 'binary' && isWhole && size >= 1024n * one) return writeBinary(nano / one)
  return writeDecimal(nano, style === 'exponent')
}

const writeBinary = (value: bigint): string => {
  let rest = value
  let step = 0
  while (rest % 1024n === 0n && step < binary.length - 1) {
    rest /= 1024n
    step++
  }
  return `${rest}${binary[step]}`
}

const writeDecimal = (nano: bigint, asExponent: boolean): string => {
  if (nano === 0n) return '0'
  let rest = nano
  let power = -nanoDigits
  while (rest % 1000n === 0n && power < 18) {
    rest /= 1000n
    power += 3
  }
  if (asExponent) return power === 0 ? `${rest}` : `${rest}e${power}`
  const suffix = Object.entries(decimal).find(([, value]) => value === power)?.[0] ?? ''
  return `${rest}${suffix}`
}
