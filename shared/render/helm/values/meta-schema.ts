// Checks a schema against the schema of its own language, the meta-schema. ajv would compile the meta-schema, which takes four times as long as
// compiling a chart's schema. This interprets the meta-schema; it knows only the keywords that meta-schemas use. As in ajv, formats are not checked.
import { canonicalJson, isMap } from '../../../core/json/json.ts'

export type MetaSchemas = {
  readonly uri: string
  readonly documentAt: (uri: string) => unknown
}

/** The first fault, such as `/properties/port/minimum violates type "number"`. */
export const languageFault = (schema: unknown, language: MetaSchemas): string | undefined =>
  fault(language.documentAt(language.uri), { value: schema, at: '', document: language.uri, language })

/** `document`: the URI of the document whose parts references name. */
type Place = {
  readonly value: unknown
  readonly at: string
  readonly document: string
  readonly language: MetaSchemas
}

const fault = (meta: unknown, place: Place): string | undefined => {
  if (!isMap(meta)) return undefined
  for (const [keyword, limit] of Object.entries(meta)) {
    if (holds.get(keyword)?.(place.value, limit) === false)
      return `${place.at} violates ${keyword} ${JSON.stringify(limit)}`
    const inside = applied.get(keyword)?.(limit, place)
    if (inside !== undefined) return inside
  }
  return undefined
}

type Holds = (value: unknown, limit: unknown) => boolean

const holds: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ['type', (value, types) => [types].flat().some(type => isOfType(value, type))],
  ['enum', (value, all) => Array.isArray(all) && all.includes(value)],
  ['minimum', (value, least) => typeof value !== 'number' || value >= Number(least)],
  ['exclusiveMinimum', (value, below) => typeof value !== 'number' || value > Number(below)],
  ['minItems', (value, least) => !Array.isArray(value) || value.length >= Number(least)],
  ['uniqueItems', value => !Array.isArray(value) || new Set(value.map(canonicalJson)).size === value.length],
  ['pattern', (value, pattern) => typeof value !== 'string' || new RegExp(String(pattern), 'u').test(value)],
])

const isOfType = (value: unknown, type: unknown): boolean => {
  if (type === 'object') return isMap(value)
  if (type === 'array') return Array.isArray(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

type Applied = (limit: unknown, place: Place) => string | undefined

const whole: Applied = (_, { language, ...place }) =>
  fault(language.documentAt(language.uri), { ...place, document: language.uri, language })

const applied: ReadonlyMap<string, Applied> = new Map<string, Applied>([
  ['$ref', (reference, place) => referred(String(reference), place)],
  ['$dynamicRef', whole],
  ['$recursiveRef', whole],
  ['allOf', (all, place) => first([all].flat(), meta => fault(meta, place))],
  [
    'anyOf',
    (all, place) => {
      const faults = [all].flat().map(meta => fault(meta, place))
      return faults.includes(undefined) ? undefined : faults.at(-1)
    },
  ],
  ['items', (meta, place) => first(itemsOf(place.value), ([key, value]) => fault(meta, below(place, key, value)))],
  [
    'properties',
    (metas, place) =>
      first(fieldsOf(place.value), ([key, value]) =>
        isMap(metas) && Object.hasOwn(metas, key) ? fault(metas[key], below(place, key, value)) : undefined,
      ),
  ],
  [
    'additionalProperties',
    (meta, place) => first(fieldsOf(place.value), ([key, value]) => fault(meta, below(place, key, value))),
  ],
])

const referred = (reference: string, place: Place): string | undefined => {
  const [path = '', pointer = ''] = reference.split('#')
  const document = path === '' ? place.document : place.language.uri.replace(/[^/]*$/, path)
  const names = pointer.split('/').slice(1)
  const meta = names.reduce<unknown>(
    (part, name) => (isMap(part) ? part[name] : undefined),
    place.language.documentAt(document),
  )
  return fault(meta, { ...place, document })
}

const below = (place: Place, key: string, value: unknown): Place => ({ ...place, at: `${place.at}/${key}`, value })

type Part = readonly [key: string, value: unknown]

const itemsOf = (value: unknown): Part[] => (Array.isArray(value) ? Object.entries(value) : [])
const fieldsOf = (value: unknown): Part[] => (isMap(value) ? Object.entries(value) : [])

const first = <Item>(items: readonly Item[], judge: (item: Item) => string | undefined): string | undefined => {
  for (const item of items) {
    const found = judge(item)
    if (found !== undefined) return found
  }
  return undefined
}
