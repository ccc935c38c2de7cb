// Defaults, choices, and ending a rendering with the author's own words.
import { Failure } from '../run/failure.ts'
import { isBlank } from '../value/casting.ts'
import { type FunctionTable, fn } from '../value/signature.ts'
import { isMissing } from '../value/value.ts'

const byAuthor = (message: string): Failure => new Failure(message, message)

export const flow: FunctionTable = {
  coalesce: fn('...any', (...values) => values.find(value => !isBlank(value))),
  default: fn('any ...any', (usual, ...given) => (isBlank(given[0]) ? usual : given[0])),
  empty: fn('any', isBlank),
  fail: fn('string', message => {
    throw byAuthor(message)
  }),
  hello: fn('', () => 'Hello!'),
  required: fn('string any', (message, value) => {
    if (isMissing(value) || value === '') throw byAuthor(message)
    return value
  }),
  ternary: fn('any any bool', (yes, no, isYes) => (isYes ? yes : no)),
}
