// What may stand in a file: one row per rule, each a pattern in its code or comments and the files it is about.
import type { Fault } from './import-rules.ts'
import type { Source } from './source.ts'

type Rule = {
  readonly fault: string
  /** Files it is about. */
  readonly in: RegExp
  readonly except?: RegExp
  readonly code?: RegExp
  readonly comment?: RegExp
}

const everywhere = /^(functions|shared|tests|bench)\//
const product = /^(functions|shared)\//

/** The same input must give the same answer there, and nothing outside may change. */
const pure =
  /^(shared\/(core|component|kyma|render|api)\/|functions\/[^/]+\/(decide|report|reasons|settings|world|(desired|parts|rules)\/.*)\.ts$)/

export const rules: readonly Rule[] = [
  { fault: 'is async', in: pure, code: /\b(async|await)\b/ },
  {
    fault: 'asks for the time',
    in: pure,
    code: /\b(Date\.now|performance\.now)\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\)/,
  },
  { fault: 'is random', in: pure, code: /\b(Math\.random|randomUUID|randomBytes|randomInt|getRandomValues)\b/ },
  { fault: 'knows the process', in: pure, code: /\bprocess\s*[.[]/ },
  { fault: 'waits', in: pure, code: /\b(setTimeout|setInterval|setImmediate|queueMicrotask)\b/ },
  { fault: 'talks to the network', in: pure, code: /\b(fetch|WebSocket)\s*\(/ },
  {
    fault: 'reads the environment',
    in: product,
    except: /^shared\/http\/settings\/config\.ts$/,
    code: /\bprocess\.env\b/,
  },
  {
    fault: 'has a default export',
    in: everywhere,
    // It stands in for tap, which has one.
    except: /^tests\/harness\/runner\/test-of-file\.ts$/,
    code: /\bexport\s+default\b|\bas default\b/,
  },
  {
    fault: 'suppresses a warning',
    in: everywhere,
    comment: /biome-ignore|@ts-ignore|@ts-expect-error|@ts-nocheck|eslint-disable/,
  },
  { fault: 'claims with !', in: product, code: /[\w)\]]!(?=[.;,)\]}[\s])/ },
  {
    // tap's own compare no more items than are expected, no dates, texts by a part of them, and 1 with '1'.
    fault: 'compares loosely: tests/harness/matches.ts does not',
    in: /^tests\//,
    code: /\b(t|test)\s*\.\s*((not)?(match|has|same)(Only)?(Strict)?|throws|rejects)\b/i,
  },
  { fault: 'swallows an error', in: product, code: /\bcatch\s*(\([^)]*\)\s*)?\{\s*\}/ },
]

export const textFaults = (file: Source): Fault[] =>
  rules
    .filter(rule => rule.in.test(file.path) && !rule.except?.test(file.path))
    .filter(rule => rule.code?.test(file.code) || file.comments.some(comment => rule.comment?.test(comment)))
    .map(({ fault }) => ({ path: file.path, fault }))

/** Packages that pure files may import: they compute and do nothing else. */
const pureModules = [
  ...['node:crypto', 'node:util', 'ajv', 'croner', 'yaml', 'semver', '@marcbachmann/cel-js', 're2js', 'bcryptjs'],
  ...['node:buffer', 'node:zlib', 'ajv/dist/2019.js', 'ajv/dist/2020.js', 'smol-toml'],
]

export const impureImports = (file: Source): Fault[] =>
  file.imports
    .filter(({ specifier = '', isType }) => pure.test(file.path) && !isType && !isRelative(specifier))
    .filter(({ specifier = '' }) => !pureModules.includes(specifier))
    .map(({ specifier }) => ({ path: file.path, fault: `imports ${specifier}, which does more than compute` }))

const isRelative = (specifier: string): boolean => specifier.startsWith('.')

/** Every file of the product says in its first lines what it is for. */
export const headerFaults = (file: Source): Fault[] =>
  product.test(file.path) && !file.beginsWithComment ? [{ path: file.path, fault: 'has no header comment' }] : []
