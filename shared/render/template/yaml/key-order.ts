// The order of keys in YAML that Go writes: numbers in keys count as numbers, letters come last.

const isLetter = (rune: string): boolean => /^\p{L}$/u.test(rune)
const isDigit = (rune: string | undefined): boolean => rune !== undefined && /^\p{Nd}$/u.test(rune)

export const inKeyOrder = (keys: readonly string[]): readonly string[] => keys.toSorted(compare)

const compare = (a: string, b: string): number =>
  a === b ? 0 : (isPlainlyBefore(a, b) ?? isBefore([...a], [...b])) ? -1 : 1

/** Decides by the first difference if that is simple, as for most keys: an ASCII letter, or the end of a key. */
const isPlainlyBefore = (a: string, b: string): boolean | undefined => {
  const size = Math.min(a.length, b.length)
  let at = 0
  while (at < size && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  if (at === size) return a.length < b.length
  const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)]
  if (one > 0x7f || other > 0x7f) return undefined
  if (isAsciiLetter(one) && isAsciiLetter(other)) return one < other
  return isAsciiLetter(one) || isAsciiLetter(other) ? isAsciiLetter(other) : undefined
}

const isAsciiLetter = (code: number): boolean => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a

const isBefore = (a: readonly string[], b: readonly string[]): boolean => {
  const size = Math.min(a.length, b.length)
  for (let at = 0; at < size; at += 1) {
    const [one = '', other = ''] = [a[at], b[at]]
    if (one !== other) return isRuneBefore(a, b, at)
  }
  return a.length < b.length
}

const isRuneBefore = (a: readonly string[], b: readonly string[], at: number): boolean => {
  const [one = '', other = ''] = [a[at], b[at]]
  if (isLetter(one) && isLetter(other)) return code(one) < code(other)
  if (isLetter(one) || isLetter(other)) return isLetter(other)
  const base = (one === '0' || other === '0') && isWithinNumber(a, at) ? 1n : 0n
  const [left, right] = [numberAt(a, at, base), numberAt(b, at, base)]
  if (left.value !== right.value) return left.value < right.value
  if (left.end !== right.end) return left.end < right.end
  return code(one) < code(other)
}

const code = (rune: string): number => rune.codePointAt(0) ?? 0

const isWithinNumber = (runes: readonly string[], at: number): boolean => {
  for (let before = at - 1; isDigit(runes[before]); before -= 1) if (runes[before] !== '0') return true
  return false
}

const numberAt = (runes: readonly string[], at: number, base: bigint): { value: bigint; end: number } => {
  let [value, end] = [base, at]
  for (; isDigit(runes[end]); end += 1) value = BigInt.asIntN(64, value * 10n + BigInt(code(runes[end] ?? '0') - 48))
  return { value, end }
}
