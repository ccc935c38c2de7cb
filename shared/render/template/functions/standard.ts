// The functions that every template has: Go's own, sprig's but `env` and `expandenv`, Helm's, and ours.
// Later tables win, as Helm's functions win over sprig's.
import type { FunctionTable } from '../value/signature.ts'
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
import { reflection } from './reflection.ts'
import { regexes } from './regex.ts'
import { strings } from './strings.ts'
import { templateFunctions } from './templates.ts'
import { urls } from './urls.ts'
import { versions } from './versions.ts'
import { wordFunctions } from './words.ts'

const tables: readonly FunctionTable[] = [
  ...[builtins, strings, wordFunctions, lists, dicts, math, bits, dates, digests, encoding, paths, reflection, flow],
  ...[regexes, random, passwords, documents, versions, urls, certificates, templateFunctions, lookups],
]

export const standardFunctions: FunctionTable = Object.assign({}, ...tables)
