// What a value is: types and kinds as Go names them.
import { isDeepEqual, kindName, typeName } from '../value/kinds.ts'
import { type FunctionTable, fn, within } from '../value/signature.ts'

export const reflection: FunctionTable = {
  deepEqual: within('any any', ({ budget }, a, b) => isDeepEqual(a, b, budget)),
  kindIs: fn('string any', (kind, value) => kindName(value) === kind),
  kindOf: fn('any', kindName),
  typeIs: fn('string any', (type, value) => typeName(value) === type),
  typeIsLike: fn('string any', (type, value) => [type, `*${type}`].includes(typeName(value))),
  typeOf: fn('any', typeName),
}
