// Generates ConfigMaps and Secrets from literals, files and env files.
import { put } from '../../core/json/fields.ts'
import type { JsonMap } from '../../core/json/json.ts'
import { RenderError } from '../generator.ts'
import type { GeneratorArgs, GeneratorOptions } from './files/arguments.ts'
import { type Folder, readBytes } from './files/folder.ts'
import { type Behavior, Resource, type Scopes } from './resource.ts'

export type GeneratedKind = 'ConfigMap' | 'Secret'

export const generated = (kind: GeneratedKind, args: GeneratorArgs, folder: Folder, scopes: Scopes): Resource => {
  if (!args.name) throw new RenderError(`a ${kind} generator must have a name`)
  const pairs = distinct(pairsOf(args, folder), args.name)
  const metadata: JsonMap = { name: args.name, ...(args.namespace ? { namespace: args.namespace } : {}) }
  const object: JsonMap = { apiVersion: 'v1', kind, metadata, ...contents[kind](pairs, args) }
  if (args.options?.immutable) object.immutable = true
  const resource = new Resource(object, scopes)
  resource.setTexts('labels', { ...args.options?.labels })
  resource.setTexts('annotations', { ...args.options?.annotations })
  resource.needsHash = !args.options?.disableNameSuffixHash
  resource.behavior = behaviorOf(args.behavior)
  return resource
}

const behaviorOf = (text: string | undefined): Behavior =>
  text === 'merge' || text === 'replace' || text === 'create' ? text : 'unspecified'

/** Options of an entry win over options of the kustomization. */
export const withOptions = (args: GeneratorArgs, options: GeneratorOptions | undefined): GeneratorArgs =>
  options === undefined
    ? args
    : {
        ...args,
        options: {
          labels: { ...options.labels, ...args.options?.labels },
          annotations: { ...options.annotations, ...args.options?.annotations },
          disableNameSuffixHash: options.disableNameSuffixHash || args.options?.disableNameSuffixHash,
          immutable: options.immutable || args.options?.immutable,
        },
      }

type Pair = { readonly key: string; readonly value: Uint8Array }

const contents: Readonly<Record<GeneratedKind, (pairs: readonly Pair[], args: GeneratorArgs) => JsonMap>> = {
  ConfigMap: pairs => ({
    ...entries('data', pairs.filter(isText), ({ value }) => Buffer.from(value).toString()),
    ...entries(
      'binaryData',
      pairs.filter(pair => !isText(pair)),
      base64Lines,
    ),
  }),
  Secret: (pairs, { type }) => ({ type: type || 'Opaque', data: {}, ...entries('data', pairs, base64Lines) }),
}

const isText = ({ value }: Pair): boolean => Buffer.from(Buffer.from(value).toString()).equals(value)

const entries = (field: string, pairs: readonly Pair[], text: (pair: Pair) => string): JsonMap => {
  const data: JsonMap = {}
  for (const pair of pairs) put(data, pair.key, text(pair))
  return pairs.length > 0 ? { [field]: data } : {}
}

/** Lines of 70 characters, each with a line break, if the text has at least 70 characters. */
const base64Lines = ({ value }: Pair): string => {
  const text = Buffer.from(value).toString('base64')
  return text.length < 70 ? text : text.replace(/.{1,70}/g, line => `${line}\n`)
}

const distinct = (pairs: readonly Pair[], name: string): readonly Pair[] => {
  const keys = new Set<string>()
  for (const { key } of pairs) {
    if (keys.has(key)) throw new RenderError(`${name} illegally repeats the key '${key}'`)
    keys.add(key)
  }
  return pairs
}

const pairsOf = ({ envs = [], env, literals = [], files = [] }: GeneratorArgs, folder: Folder): Pair[] => [
  ...[...envs, ...(env ? [env] : [])].flatMap(path => linePairs(readBytes(folder, path), path)),
  ...literals.map(literalPair),
  ...files.map(source => filePair(source, folder)),
]

const pair = (key: string, text: string): Pair => ({ key, value: Buffer.from(text) })

/** `KEY=value` per line. Lines that begin with # are comments. */
const linePairs = (content: Uint8Array, path: string): Pair[] => {
  if (!isText({ key: path, value: content })) throw new RenderError(`${path} has invalid utf8 bytes`)
  return Buffer.from(content)
    .toString()
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map(line => line.replace(/\r$/, '').trimStart())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const sign = line.indexOf('=')
      return sign < 0 ? pair(line, '') : pair(line.slice(0, sign), line.slice(sign + 1))
    })
    .filter(({ key }) => key !== '')
}

const literalPair = (source: string): Pair => {
  const sign = source.indexOf('=')
  if (sign <= 0) throw new RenderError(`invalid literal source ${source}, expected key=value`)
  return pair(source.slice(0, sign), unquoted(source.slice(sign + 1)))
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/s.exec(text)?.[2] ?? text

const filePair = (source: string, folder: Folder): Pair => {
  const parts = source.split('=')
  const [key = '', path = key] = parts
  if (parts.length > 2 || key === '' || path === '')
    throw new RenderError(`invalid file source ${source}, expected [key=]path`)
  return { key: parts.length === 1 ? path.slice(path.lastIndexOf('/') + 1) : key, value: readBytes(folder, path) }
}
