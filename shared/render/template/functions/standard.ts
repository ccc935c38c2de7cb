// The functions that every template has: Go's own, sprig's but `env` and `expandenv`, Helm's, and ours.
// Later tables win, as Helm's functions win over sprig's.
import { isDeepEqual, kindName, typeName } from '../value/kinds.ts'
import { type FunctionTable, fn, within } from '../value/signature.ts'
import { bits } from './bits.ts'
import { builtins } from './builtins.ts'
import { certificates } from './certificates.ts'
import { dates } from './dates.ts'
import { dicts } from './dicts.ts'
import { digests } from './digests.ts'
import { documents } from './documents.ts'
import { encoding } from './encoding.ts'
import { flow } from './flow.ts'
import { lists } from './lists.ts'
import { lookups } from './lookups.ts'
import { math } from './math.ts'
import { passwords } from './passwords.ts'
import { paths } from './paths.ts'
import { random } from './random.ts'
import { regexes } from './regex.ts'
import { strings } from './strings.ts'
import { urls } from './urls.ts'
import { versions } from './versions.ts'
import { wordFunctions } from './words.ts'

/** Templates within templates, and the network that a rendering must not touch. */
const templateFunctions: FunctionTable = {
  getHostByName: fn('string', () => ''),
  include: within('string any', ({ include }, name, data) => include(name, data)),
  tpl: within('string any', ({ render }, text, data) => render(text, data)),
}

/** What a value is: types and kinds as Go names them. */
const reflection: FunctionTable = {
  deepEqual: fn('any any', isDeepEqual),
  kindIs: fn('string any', (kind, value) => kindName(value) === kind),
  kindOf: fn('any', kindName),
  typeIs: fn('string any', (type, value) => typeName(value) === type),
  typeIsLike: fn('string any', (type, value) => [type, `*${type}`].includes(typeName(value))),
  typeOf: fn('any', typeName),
}

const tables: readonly FunctionTable[] = [
  ...[builtins, strings, wordFunctions, lists, dicts, math, bits, dates, digests, encoding, paths, reflection, flow],
  ...[regexes, random, passwords, documents, versions, urls, certificates, templateFunctions, lookups],
]

export const standardFunctions: FunctionTable = Object.assign({}, ...tables)
