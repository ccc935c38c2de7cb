// Writes values as YAML, byte for byte as Go's libraries do: sigs.k8s.io/yaml for toYaml, yaml.v3 for toYamlPretty.
import { formatFloat } from '../../../core/text/float-text.ts'
import type { Budget } from '../run/environment.ts'
import { plain } from '../value/kinds.ts'
import { GoMap, type GoValue, isList, isMissing, Sized, Struct } from '../value/value.ts'
import { marshalled } from './json.ts'
import { isSimpleKey, runeCount, scalarText } from './yaml-scalars.ts'

type YamlStyle = {
  readonly width: number
  /** Whether a list in a map is indented two columns more than its key. */
  readonly isIndentingLists: boolean
  readonly isTabbedBlock: boolean
  /** Whether the values come from JSON, where numbers without a fraction are integers. */
  readonly isByWayOfJson: boolean
}

/** Lines of about 80 columns, lists not indented. */
export const compactStyle: YamlStyle = {
  width: 80,
  isIndentingLists: false,
  isTabbedBlock: false,
  isByWayOfJson: false,
}
export const prettyStyle: YamlStyle = {
  width: Number.POSITIVE_INFINITY,
  isIndentingLists: true,
  isTabbedBlock: true,
  isByWayOfJson: false,
}

const step = 2

/** The YAML without a line break at the end. The value must be maps, lists and scalars: see `marshalled`. */
export const writeYaml = (value: GoValue, style: YamlStyle, budget: Budget): string => {
  const writer = new YamlWriter(style, budget)
  writer.node(value, { indent: -step, isInline: true })
  return writer.text()
}

type Place = {
  readonly indent: number
  /** The value begins at the current column: after a dash, or at the start. */
  readonly isInline: boolean
}

class YamlWriter {
  private readonly style: YamlStyle
  private readonly budget: Budget
  private readonly parts: string[] = []
  /** The current column. Not updated after the last value of a line. */
  private column = 0
  private size = 0

  constructor(style: YamlStyle, budget: Budget) {
    this.style = style
    this.budget = budget
  }

  text(): string {
    return this.parts.join('')
  }

  node(named: GoValue, place: Place): void {
    const value = this.plain(named)
    if (value instanceof GoMap && value.size > 0) this.map(value, place)
    else if (isList(value) && value.length > 0) this.list(value, place.indent + step, place.isInline)
    else this.scalar(value, { indent: Math.max(place.indent, 0) + step, isKey: false })
  }

  /** In JSON a struct is the map of its fields. */
  private plain(named: GoValue): GoValue {
    const value = plain(named)
    return this.style.isByWayOfJson && value instanceof Struct ? value.fields : value
  }

  private write(text: string): void {
    this.parts.push(text)
    this.size += text.length
    this.budget.fits(this.size)
  }

  private sign(text: string): void {
    this.write(text)
    this.column += text.length
  }

  private newLine(indent: number): void {
    this.write(`\n${' '.repeat(indent)}`)
    this.column = indent
  }

  private map(map: GoMap, { indent, isInline }: Place): void {
    const inner = indent + step
    for (const [index, key] of inKeyOrder([...map.keys()]).entries()) {
      if (index > 0 || !isInline) this.newLine(inner)
      const isSimple = isSimpleKey(key)
      if (!isSimple) this.sign('? ')
      this.scalar(key, { indent: inner + step, isKey: isSimple })
      if (!isSimple) this.newLine(inner)
      this.sign(':')
      this.value(map.get(key), inner, isSimple)
    }
  }

  private value(named: GoValue, indent: number, isBelow: boolean): void {
    const value = this.plain(named)
    const isBlock = value instanceof GoMap ? value.size > 0 : isList(value) && value.length > 0
    if (!isBlock || !isBelow) this.sign(' ')
    if (isList(value) && isBlock)
      this.list(value, this.style.isIndentingLists || !isBelow ? indent + step : indent, !isBelow)
    else this.node(value, { indent, isInline: !isBelow })
  }

  private list(list: readonly GoValue[], indent: number, isInline: boolean): void {
    for (const [index, item] of list.entries()) {
      if (index > 0 || !isInline) this.newLine(indent)
      this.sign('- ')
      this.node(item, { indent, isInline: true })
    }
  }

  private scalar(value: GoValue, { indent, isKey }: { indent: number; isKey: boolean }): void {
    const { width, isTabbedBlock } = this.style
    const place = { indent, isKey, column: this.column, width, isTabbedBlock }
    const text = typeof value === 'string' ? scalarText(value, place) : this.plainText(value)
    this.write(text)
    if (isKey) this.column += runeCount(text)
  }

  private plainText(value: GoValue): string {
    const isWhole = this.style.isByWayOfJson && typeof value === 'number' && Number.isInteger(value)
    return (isWhole ? wholeText(value) : undefined) ?? plainText(value)
  }
}

/** In JSON, a number without a fraction is an integer if its shortest digits fit into 64 bits. */
const wholeText = (value: number): string | undefined => {
  if (Number.isSafeInteger(value)) return String(value)
  const whole = Math.abs(value) < 1e21 ? BigInt(String(value)) : undefined
  return whole !== undefined && whole >= -(2n ** 63n) && whole < 2n ** 64n ? String(whole) : undefined
}

const special: Readonly<Record<string, string>> = { '+Inf': '.inf', '-Inf': '-.inf', NaN: '.nan' }

const plainText = (value: GoValue): string => {
  if (isMissing(value)) return 'null'
  if (typeof value === 'number') {
    const text = formatFloat(value, 'g', -1)
    return special[text] ?? text
  }
  if (value instanceof GoMap) return '{}'
  if (isList(value)) return '[]'
  return value instanceof Sized ? String(value.value) : String(value)
}

/** Writes YAML by way of JSON, as sigs.k8s.io/yaml does. Throws a Failure if the value has no JSON. */
export const yamlText = (value: GoValue, budget: Budget): string => writeYaml(marshalled(value), jsonStyle, budget)

const jsonStyle = { ...compactStyle, isByWayOfJson: true }

const isLetter = (rune: string): boolean => /^\p{L}$/u.test(rune)
const isDigit = (rune: string | undefined): boolean => rune !== undefined && /^\p{Nd}$/u.test(rune)

/** The order of keys in Go's YAML: digits in keys are compared as numbers, letters come last. */
const inKeyOrder = (keys: readonly string[]): readonly string[] => keys.toSorted(compare)

const compare = (a: string, b: string): number =>
  a === b ? 0 : (isPlainlyBefore(a, b) ?? isBefore([...a], [...b])) ? -1 : 1

/** Compares keys quickly if their first difference is between ASCII characters of which one is a letter, or at the end of a key. */
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
