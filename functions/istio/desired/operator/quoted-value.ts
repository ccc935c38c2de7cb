// A value that a fault quotes.
import { isText } from '../../../../shared/core/json/json.ts'
import { unicodeEscape } from '../../../../shared/core/text/unicode-escape.ts'

/** As JSON, with line separators as escapes, so that they can be seen. Of a long text its beginning. */
export const quoted = (value: unknown): string =>
  JSON.stringify(isText(value) ? value.slice(0, longestQuote) : value).replace(/[\u0085\u2028\u2029]/g, unicodeEscape)

const longestQuote = 100
