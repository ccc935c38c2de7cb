// Templates within templates, and the network that a rendering must not touch.
import { type FunctionTable, fn, within } from '../value/signature.ts'

export const templateFunctions: FunctionTable = {
  getHostByName: fn('string', () => ''),
  include: within('string any', ({ include }, name, data) => include(name, data)),
  tpl: within('string any', ({ render }, text, data) => render(text, data)),
}
