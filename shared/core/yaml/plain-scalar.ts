// Interprets unquoted scalars as kubectl and helm do: YAML 1.1 as go-yaml v2 reads it. `yes`, `on` and `y` are true, `0644` is 420,
// `1_000` is 1000; dates and `1:30` are text. Quoted and block scalars are text and never come here.

/** Numbers are doubles, as in JSON. */
export const plainScalar = (text: string): string | number | boolean | null => {
  const word = words.get(text)
  if (word !== undefined) return word
  return mayBeNumber.test(text) ? (numberOf(text) ?? text) : text
}

const words = new Map<string, boolean | number | null>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(word => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(word => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map(word => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map(word => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map(word => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map(word => [word, Number.NEGATIVE_INFINITY] as const),
])

const mayBeNumber = /^[-+.]?[0-9.]/

/** Go's number literals. A leading zero means octal, unless a digit is above 7 or the number exceeds 64 bits: then it is a float. */
const forms: readonly { readonly form: RegExp; readonly radix?: number }[] = [
  { form: /^([-+]?)0[xX]([0-9a-fA-F]+)$/, radix: 16 },
  { form: /^([-+]?)0[oO]?([0-7]+)$/, radix: 8 },
  { form: /^([-+]?)0[bB]([01]+)$/, radix: 2 },
  { form: /^([-+]?)(\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/ },
]

const wholeForm = /^[-+]?(?:0[xX][\da-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|\d+)$/

/** Whether the text is an integer of at most 64 bits. */
export const isWhole = (text: string): boolean => {
  const value = wholeForm.test(text.replaceAll('_', '')) ? plainScalar(text) : undefined
  return typeof value === 'number' && value < 2 ** 64 && value >= -(2 ** 63)
}

const numberOf = (text: string): number | undefined => {
  const plain = text.startsWith('.') ? text.replaceAll(/(?<=\d)_(?=\d)/g, '') : text.replaceAll('_', '')
  for (const { form, radix } of forms) {
    const [, sign = '', digits = ''] = form.exec(plain) ?? []
    if (digits === '') continue
    const value = radix === undefined ? Number(plain) : whole(sign, digits, radix)
    if (value !== undefined && Number.isFinite(value)) return value
  }
  return undefined
}

const prefixes: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 16: '0x' }
const most: Readonly<Record<string, bigint>> = { '': 2n ** 64n - 1n, '+': 2n ** 63n - 1n, '-': 2n ** 63n }

/** Exact, unlike parseInt. undefined beyond 64 bits. */
const whole = (sign: string, digits: string, radix: number): number | undefined => {
  const value = BigInt(`${prefixes[radix]}${digits}`)
  if (value > (most[sign] ?? 0n)) return undefined
  return sign === '-' ? -Number(value) : Number(value)
}
