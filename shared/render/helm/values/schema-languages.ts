// Translates schemas of JSON Schema drafts 4 to 7, 2019-09 and 2020-12 for the validator. The validator supports draft 7 and newer, and has
// keywords that Helm does not know.
import { isMap, type JsonMap } from '../../../core/json/json.ts'

export type Language = {
  readonly validator: 'draft 7' | '2019-09' | '2020-12'
  readonly uri: string
  readonly changes: readonly Change[]
}

type Change = (schema: JsonMap) => JsonMap

export const languageOf = (schema: boolean | JsonMap): Language | undefined => {
  if (!isMap(schema) || schema.$schema === undefined) return newest
  const [, name = ''] = /^https?:\/\/(.*?)#?$/.exec(String(schema.$schema)) ?? []
  return languages.get(name)
}

export const translated = (schema: boolean | JsonMap, { uri, changes }: Language): boolean | JsonMap =>
  isMap(schema) ? { ...changed(schema, changes), $schema: uri } : schema

const changed = (schema: JsonMap, changes: readonly Change[]): JsonMap => {
  const own = changes.reduce((before, change) => change(before), schema)
  return mapped(own, (value, key) => {
    if (data.has(key)) return value
    return isMap(value) && named.has(key)
      ? mapped(value, part => changedPart(part, changes))
      : changedPart(value, changes)
  })
}

/** Also translates values of unknown keywords, because a reference can point to them. */
const changedPart = (value: unknown, changes: readonly Change[]): unknown => {
  if (Array.isArray(value)) return value.map(item => changedPart(item, changes))
  return isMap(value) ? changed(value, changes) : value
}

const mapped = (map: JsonMap, change: (value: unknown, key: string) => unknown): JsonMap =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]))

/** Keywords whose values are data, even if the data looks like a schema. */
const data = new Set(['const', 'enum', 'default'])

/** Keywords whose values map names to schemas. A name can look like a keyword. */
const named = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas'])

const without =
  (...words: readonly string[]): Change =>
  schema =>
    Object.fromEntries(Object.entries(schema).filter(([key]) => !words.includes(key)))

/** Removes keywords. Keeps a keyword whose value is a map, because this is the schema of a field with the keyword's name. */
const withoutPlain =
  (...words: readonly string[]): Change =>
  schema =>
    without(...words.filter(word => !isMap(schema[word])))(schema)

const withNewId: Change = schema => {
  const changed = withoutPlain('id', '$id')(schema)
  return typeof schema.id === 'string' ? { ...changed, $id: schema.id } : changed
}

/** An id that is a pointer has no effect. */
const withoutPointerId: Change = schema =>
  typeof schema.$id === 'string' && /^(?:#|#\/.*)?$/s.test(schema.$id) ? without('$id')(schema) : schema

/**
 * With `ignoreKeywordsWithRef`, the validator ignores most keywords beside `$ref`. This removes `$id` and `type`, which it does not ignore.
 */
const withRefAlone: Change = schema => (typeof schema.$ref === 'string' ? withoutPlain('$id', 'type')(schema) : schema)

const bounds = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const

const withNumericBounds: Change = schema => {
  const changed = { ...schema }
  for (const [bound, flag] of bounds) {
    if (typeof schema[flag] !== 'boolean') continue
    delete changed[flag]
    if (!schema[flag]) continue
    delete changed[bound]
    changed[flag] = schema[bound]
  }
  return changed
}

/** Removes keywords of the validator and of OpenAPI, and examples, which can look like schemas. */
const foreign = withoutPlain('nullable', '$async', 'examples')
const since2019 = [foreign, withoutPlain('id')]
const untilDraft7 = [foreign, withoutPlain('$anchor', '$dynamicAnchor'), withoutPointerId, withRefAlone]
const untilDraft6 = [without('if', 'then', 'else'), ...untilDraft7]
const untilDraft4 = [without('const', 'contains', 'propertyNames'), withNumericBounds, ...untilDraft6]

const newest: Language = {
  validator: '2020-12',
  uri: 'https://json-schema.org/draft/2020-12/schema',
  changes: since2019,
}
const recent: Language = {
  validator: '2019-09',
  uri: 'https://json-schema.org/draft/2019-09/schema',
  changes: since2019,
}
const older = (...changes: readonly Change[]): Language => ({
  validator: 'draft 7',
  uri: 'http://json-schema.org/draft-07/schema#',
  changes,
})

const languages: ReadonlyMap<string, Language> = new Map([
  ['json-schema.org/schema', newest],
  ['json-schema.org/draft/2020-12/schema', newest],
  ['json-schema.org/draft/2019-09/schema', recent],
  ['json-schema.org/draft-07/schema', older(withoutPlain('id'), ...untilDraft7)],
  ['json-schema.org/draft-06/schema', older(withoutPlain('id'), ...untilDraft6)],
  ['json-schema.org/draft-04/schema', older(withNewId, ...untilDraft4)],
])
