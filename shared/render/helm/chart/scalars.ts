// Reads unquoted scalars of Chart.yaml: numbers become texts, spelled as Go spells them; all else is as in any YAML.
import { formatFloat } from '../../../core/text/float-text.ts'
import { plainScalar } from '../../../core/yaml/plain-scalar.ts'

/** Numbers as texts, all else as in any YAML. */
export const textScalar = (text: string): string | number | boolean | null => {
  const value = plainScalar(text)
  if (typeof value !== 'number' || Number.isNaN(value)) return value
  const digits = text.replaceAll('_', '')
  return isWhole.test(digits) && Math.abs(value) < 2 ** 64 ? wholeText(digits, value) : floatText(value)
}

const isWhole = /^[-+]?(?:0[xX][\da-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9]\d*)$/

const wholeText = (digits: string, value: number): string =>
  Number.isSafeInteger(value) || digits.startsWith('0') ? String(value) : digits.replace(/^\+/, '')

const digitsMost = 9

/** The fewest digits that tell a float32 apart, as they are written for texts. */
const floatText = (value: number): string => {
  const single = Math.fround(value)
  const counts = Array.from({ length: digitsMost }, (_, index) => index + 1)
  const shortest = counts.map(count => Number(single.toPrecision(count))).find(short => Math.fround(short) === single)
  return formatFloat(shortest ?? single, 'g', -1)
}
