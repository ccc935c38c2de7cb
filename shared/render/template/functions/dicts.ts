// sprig's functions on maps. Maps are merged as by mergo: empty values of the target are filled, or all values are overwritten. Names and
// values are sorted by name; Go's order is random.
import type { KubeObject } from '../../../core/objects/object.ts'
import { type Lookup, lookupKey } from '../../generator.ts'
import { objectValue } from '../format/json.ts'
import { Failure } from '../run/environment.ts'
import { compareText } from '../value/bytes.ts'
import { isBlank, toText } from '../value/casting.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'
import { typeName } from '../value/kinds.ts'
import {
  type Call,
  GoMap,
  type GoValue,
  isList,
  isMissing,
  mapOf,
  Struct,
  type TemplateFunction,
  TypedList,
  textList,
} from '../value/value.ts'

const names = (map: GoMap): readonly string[] => [...map.keys()].sort(compareText)

const dictionary = (pairs: readonly GoValue[]): GoMap => {
  const map = new GoMap()
  for (let at = 0; at < pairs.length; at += 2) map.set(toText(pairs[at]), at + 1 < pairs.length ? pairs[at + 1] : '')
  return map
}

const dig = (path: readonly GoValue[]): GoValue => {
  if (path.length < 3) throw new Failure('dig needs at least three arguments')
  const keys = path.slice(0, -2).map(key => {
    if (typeof key === 'string') return key
    throw conversion(key, 'string')
  })
  let at: GoValue = path.at(-1)
  for (const key of keys) {
    if (!(at instanceof GoMap)) throw conversion(at, 'map[string]interface {}')
    if (!at.has(key)) return path.at(-2)
    at = at.get(key)
  }
  return at
}

const sifted = (map: GoMap, keys: readonly string[], areAmong: boolean): GoMap => {
  const named = new Set(keys)
  return mapOf([...map].filter(([key]) => named.has(key) === areAmong))
}

const conversion = (value: GoValue, type: string): Failure => {
  const got = typeName(value)
  return new Failure(`interface conversion: interface {} is ${got === '<nil>' ? 'nil' : got}, not ${type}`)
}

const writable = (map: GoMap): GoMap => {
  if (map.isNil) throw new Failure('assignment to entry in nil map')
  return map
}

const merged = fn('map ...map', (target, ...sources) => {
  for (const source of sources) mergeInto(target, source, { isOverwriting: false })
  return target
})

const overwritten = fn('map ...map', (target, ...sources) => {
  for (const source of sources) mergeInto(target, source, { isOverwriting: true })
  return target
})

const deepCopy = fn('any', value => {
  if (isMissing(value)) throw new Failure('reflect: call of reflect.Value.Type on zero Value')
  return deepCopied(value)
})

export const dicts: FunctionTable = {
  deepCopy,
  dict: fn('...any', (...pairs) => dictionary(pairs)),
  dig: fn('...any', (...path) => dig(path)),
  get: fn('map string', (map, key) => (map.has(key) ? map.get(key) : '')),
  hasKey: fn('map string', (map, key) => map.has(key)),
  keys: fn('...map', (...maps) => textList(maps.flatMap(names))),
  merge: merged,
  mergeOverwrite: overwritten,
  mustDeepCopy: deepCopy,
  mustMerge: merged,
  mustMergeOverwrite: overwritten,
  omit: fn('map ...string', (map, ...keys) => sifted(map, keys, false)),
  pick: fn('map ...string', (map, ...keys) => sifted(map, keys, true)),
  pluck: fn('string ...map', (key, ...maps) => maps.filter(map => map.has(key)).map(map => map.get(key))),
  set: fn('map string any', (map, key, value) => writable(map).set(key, value ?? null)),
  unset: fn('map string', (map, key) => {
    map.delete(key)
    return map
  }),
  values: fn('map', map => names(map).map(key => map.get(key))),
}

const deepCopied = (value: GoValue): GoValue => {
  if (value instanceof GoMap) return copiedMap(value)
  if (value instanceof Struct && value.under instanceof GoMap) return value.around?.(copiedMap(value.under)) ?? value
  if (!isList(value)) return value
  const items = value.map(item => deepCopied(item))
  if (!(value instanceof TypedList)) return items
  return Object.assign(TypedList.from(items), { elementType: value.elementType, isNil: value.isNil })
}

const copiedMap = (map: GoMap): GoMap => {
  const entries = [...map].map(([key, item]) => [key, deepCopied(item)] as const)
  return Object.assign(new GoMap(entries), { typeName: map.typeName, zero: map.zero, isNil: map.isNil })
}

type Merging = { readonly isOverwriting: boolean }

const mergeInto = (target: GoMap, source: GoMap, way: Merging): void => {
  if (target === source) return
  for (const [key, given] of source) mergeKey(target, key, given, way)
}

const mergeKey = (target: GoMap, key: string, given: GoValue, way: Merging): void => {
  const present = target.get(key)
  if (isMissing(given)) {
    if (way.isOverwriting) target.set(key, given)
    return
  }
  if (given instanceof GoMap && present instanceof GoMap && present.size + given.size > 0) {
    if (present.size === 0) target.set(key, way.isOverwriting || given.size > 0 ? filled(present, given, way) : present)
    else mergeInto(present, given, way)
    return
  }
  if (isList(given) && present !== undefined && !isMissing(present) && !isList(present) && !isBlank(present)) {
    if (way.isOverwriting) target.set(key, given)
    return
  }
  if (way.isOverwriting || isBlank(present)) target.set(key, given)
}

/** Merges `given` into the empty map `present`, and returns `given` to replace `present`. */
const filled = (present: GoMap, given: GoMap, way: Merging): GoMap => {
  mergeInto(present, given, way)
  return given
}

type Cluster = Lookup['in']
type Question = Omit<Lookup, 'in'>

/** Takes the result from the context. Without a result, records the lookup and continues, so that one run finds many lookups. */
const answerTo = ({ environment }: Call, lookup: Lookup): GoValue | undefined => {
  const key = lookupKey(lookup)
  if (!environment.context.found.has(key)) {
    environment.needs.set(key, lookup)
    return undefined
  }
  const found = environment.context.found.get(key)
  if (found === undefined) return new GoMap()
  return isObject(found) ? objectValue(found) : listOf(lookup, found)
}

const isObject = (found: KubeObject | readonly KubeObject[]): found is KubeObject => !Array.isArray(found)

const listOf = ({ apiVersion, kind }: Lookup, objects: readonly KubeObject[]): GoValue =>
  mapOf([
    ['apiVersion', apiVersion],
    ['kind', `${kind}List`],
    ['metadata', new GoMap()],
    ['items', objects.map(objectValue)],
  ])

const empty = (): GoValue => new GoMap()

const looked = (call: Call, question: Question, cluster: Cluster): GoValue =>
  answerTo(call, { ...question, in: cluster }) ?? empty()

const must = (call: Call, question: Question, cluster: Cluster): GoValue => {
  const answer = answerTo(call, { ...question, in: cluster })
  const isNothing = question.name !== '' && answer instanceof GoMap && answer.size === 0
  if (isNothing)
    throw new Failure(`${question.kind} ${[question.namespace, question.name].filter(Boolean).join('/')} not found`)
  return answer ?? empty()
}

type Look = (call: Call, question: Question, cluster: Cluster) => GoValue

const named = (look: Look, cluster: Cluster): TemplateFunction =>
  within('string string string string', (call, apiVersion, kind, namespace, name) =>
    look(call, { apiVersion, kind, namespace, name }, cluster),
  )

const elsewhere = (look: Look): TemplateFunction =>
  within('string string string string string', (call, apiVersion, kind, namespace, name, kubeconfig) =>
    look(call, { apiVersion, kind, namespace, name }, { kubeconfig }),
  )

const listed = (look: Look, cluster: Cluster): TemplateFunction =>
  within('string string string string', (call, apiVersion, kind, namespace, labelSelector) =>
    look(call, { apiVersion, kind, namespace, name: '', ...selecting(labelSelector) }, cluster),
  )

const listedElsewhere = (look: Look): TemplateFunction =>
  within('string string string string string', (call, apiVersion, kind, namespace, labelSelector, kubeconfig) =>
    look(call, { apiVersion, kind, namespace, name: '', ...selecting(labelSelector) }, { kubeconfig }),
  )

const selecting = (labelSelector: string): Pick<Lookup, 'labelSelector'> =>
  labelSelector === '' ? {} : { labelSelector }

export const lookups: FunctionTable = {
  lookup: named(looked, 'target'),
  mustLookup: named(must, 'target'),
  lookupList: listed(looked, 'target'),
  mustLookupList: listed(must, 'target'),
  localLookup: named(looked, 'local'),
  mustLocalLookup: named(must, 'local'),
  localLookupList: listed(looked, 'local'),
  mustLocalLookupList: listed(must, 'local'),
  lookupWithKubeConfig: elsewhere(looked),
  mustLookupWithKubeConfig: elsewhere(must),
  lookupListWithKubeConfig: listedElsewhere(looked),
  mustLookupListWithKubeConfig: listedElsewhere(must),
}
