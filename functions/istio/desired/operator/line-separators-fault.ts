// Texts with one of three characters (U+0085, U+2028, U+2029) that end a line of YAML. Helm's templates do not escape them, so the
// configuration of the mesh would be no YAML.
import { isText } from '../../../../shared/core/json/json.ts'
import { quoted } from './quoted-value.ts'

/** The first such text in a value, keys included, after its path; undefined: all are well. The schema bounds how deep the value is. */
export const lineSeparatorsFault = (value: unknown, path: string): string | undefined => {
  if (isText(value)) return separator.test(value) ? `${path}: ${quoted(value)} has a line separator` : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`
    const fault = lineSeparatorsFault(separator.test(key) ? key : inner, separator.test(key) ? path : at)
    if (fault !== undefined) return fault
  }
  return undefined
}

const separator = /[\u0085\u2028\u2029]/
