// What a value is: types and kinds as Go names them.
import { isDeepEqual, kindName, typeName } from '../value/kinds.ts'
import { type FunctionTable, fn } from '../value/signature.ts'

export const reflection: FunctionTable = {
  deepEqual: fn('any any', isDeepEqual),
  kindIs: fn('string any', (kind, value) => kindName(value) === kind),
  kindOf: fn('any', kindName),
  typeIs: fn('string any', (type, value) => typeName(value) === type),
  typeIsLike: fn('string any', (type, value) => [type, `*${type}`].includes(typeName(value))),
  typeOf: fn('any', typeName),
}
