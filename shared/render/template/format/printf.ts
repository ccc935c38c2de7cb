// Go's fmt.Sprintf: the format string, its flags, widths, precisions and argument indexes.
import { integerOf, typeName } from '../value/kinds.ts'
import { type GoValue, isMissing } from '../value/value.ts'
import { type Flags, formatted, formatWith, noFlags } from './print.ts'

/** The maximum of width and precision. As in Go, a larger value is an error. */
const most = 1_000_000

export const sprintf = (format: string, args: readonly GoValue[]): string => new Printf(format, args).text()

class Printf {
  private readonly format: string
  private readonly args: readonly GoValue[]
  private readonly parts: string[] = []
  private at = 0
  private next = 0
  private isReordered = false
  private isGoodIndex = true
  private isAfterIndex = false

  constructor(format: string, args: readonly GoValue[]) {
    this.format = format
    this.args = args
  }

  text(): string {
    while (this.at < this.format.length) {
      const percent = this.format.indexOf('%', this.at)
      this.parts.push(this.format.slice(this.at, percent < 0 ? undefined : percent))
      if (percent < 0) break
      this.at = percent + 1
      this.directive()
    }
    if (!this.isReordered && this.next < this.args.length) this.parts.push(extra(this.args.slice(this.next)))
    return this.parts.join('')
  }

  private directive(): void {
    this.isGoodIndex = true
    this.isAfterIndex = false
    const signs = this.match(/[#0+\- ]*/y) ?? ''
    this.index()
    const width = this.width()
    const precision = this.precision()
    if (!this.isAfterIndex) this.index()
    const verb = this.match(/[\s\S]/uy)
    if (verb === undefined) this.parts.push('%!(NOVERB)')
    else this.verb(verb, flagsOf(signs, width, precision))
  }

  private verb(verb: string, flags: Flags): void {
    if (verb === '%') this.parts.push('%')
    else if (!this.isGoodIndex) this.parts.push(`%!${verb}(BADINDEX)`)
    else if (this.next >= this.args.length) this.parts.push(`%!${verb}(MISSING)`)
    else {
      this.parts.push(formatWith(this.args[this.next], verb, verb === 'v' ? goSyntax(flags) : flags))
      this.next += 1
    }
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.format)?.[0]
    this.at += found?.length ?? 0
    return found
  }

  private index(): void {
    if (this.format[this.at] !== '[') return
    this.isReordered = true
    const close = this.format.indexOf(']', this.at)
    const digits = close < 0 ? '' : this.format.slice(this.at + 1, close)
    const index = /^\d+$/.test(digits) ? Number(digits) : 0
    const isGood = index >= 1 && index <= this.args.length
    this.isGoodIndex = isGood
    this.at = close < 0 ? this.at + 1 : close + 1
    if (isGood) this.next = index - 1
    this.isAfterIndex = isGood
  }

  private width(): number | undefined {
    if (this.match(/\*/y)) return this.starred('%!(BADWIDTH)')
    const digits = this.match(/\d+/y)
    if (digits !== undefined && this.isAfterIndex) this.isGoodIndex = false
    return number(digits)
  }

  private precision(): number | undefined {
    if (this.at + 1 >= this.format.length || !this.match(/\./y)) return undefined
    if (this.isAfterIndex) this.isGoodIndex = false
    this.index()
    if (!this.match(/\*/y)) return number(this.match(/\d+/y)) ?? 0
    const precision = this.starred('%!(BADPREC)')
    return precision === undefined || precision < 0 ? undefined : precision
  }

  private starred(complaint: string): number | undefined {
    const value = integerOf(this.args[this.next])
    if (this.next < this.args.length) this.next += 1
    this.isAfterIndex = false
    if (value !== undefined && value >= -most && value <= most) return Number(value)
    this.parts.push(complaint)
    return undefined
  }
}

const number = (digits: string | undefined): number | undefined =>
  digits === undefined || Number(digits) > most ? undefined : Number(digits)

const flagsOf = (signs: string, width: number | undefined, precision: number | undefined): Flags => {
  const isLeft = signs.includes('-') || (width ?? 0) < 0
  return {
    ...noFlags,
    plus: signs.includes('+'),
    minus: isLeft,
    sharp: signs.includes('#'),
    space: signs.includes(' '),
    zero: signs.includes('0') && !((width ?? 0) < 0),
    width: width === undefined ? undefined : Math.abs(width),
    precision,
  }
}

const goSyntax = (flags: Flags): Flags => ({
  ...flags,
  isGoSyntax: flags.sharp,
  sharp: false,
  isWithNames: flags.plus,
  plus: false,
})

const extra = (args: readonly GoValue[]): string => {
  const shown = args.map(arg => (isMissing(arg) ? '<nil>' : `${typeName(arg)}=${formatted(arg)}`))
  return `%!(EXTRA ${shown.join(', ')})`
}
