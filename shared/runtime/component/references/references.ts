// Reads the references of a component: ConfigMaps and Secrets in its namespace, and values that the definition loads. Each reference has a
// path, such as `spec.valuesFrom.0`. Digests of references are part of the component's digest.
import { digestOf } from '../../../component/declared/dependent.ts'
import { isMap, isText, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { isDeleting, type KubeObject, refText } from '../../../core/objects/object.ts'
import { atOnce } from '../../../kube/at-once.ts'
import type { Impersonation, ReadClient, Reads } from '../../../kube/client-types.ts'
import { ApiError, nothingIf } from '../../../kube/errors.ts'
import type { LoadContext, LoadedReference, ObjectReference, ReferenceOption } from '../definition/definition.ts'

export type Referred = { readonly value: unknown; readonly digest: string; readonly isSecret?: boolean }

/** By path. Optional references to missing objects have no entry. */
export type References = ReadonlyMap<string, Referred>

/** A referenced object or key does not exist. */
export class ReferenceMissing extends Error {
  override readonly name = 'ReferenceMissing'
}

type Place = { readonly path: string; readonly value: unknown }

/**
 * Limits the texts of all references together. A component may refer to one object many times, and each text is kept for the whole call.
 */
const charactersMost = 16 * 2 ** 20

/** Limits concurrent reads, because calls for other components use the same connections. */
const readsAtOnce = 8

/** Remaining characters for texts. */
type Room = { characters: number }

const isFull = ({ characters }: Room): boolean => characters < 0

/**
 * `reads`: for referenced objects. Default: `localClient`. Other calls may get the same objects, so a whole object is copied before code of
 * a definition gets it.
 */
type ReferenceContext = LoadContext & { readonly reads?: Pick<Reads, 'get'> }

/** Rejects with ReferenceMissing, with an error of `load`, or when the texts are too long. */
export const readReferences = async (
  options: readonly ReferenceOption[],
  context: ReferenceContext,
): Promise<References> => {
  const named = options.flatMap(option => placesOf(option, context.component).map(place => ({ option, place })))
  const room = { characters: charactersMost }
  const reads = named.map(
    ({ option, place }) =>
      () =>
        settled(readOne(option, place, { ...context, room })),
  )
  const read = await atOnce(reads, readsAtOnce)
  // Report the first failure in the order of references, so that the message does not change between calls.
  const found = read.map(one => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
  return new Map(named.flatMap(({ place: { path } }, n) => (found[n] ? [[path, found[n]] as const] : [])))
}

const settled = async <T>(reading: Promise<T>): Promise<PromiseSettledResult<T>> =>
  (await Promise.allSettled([reading]))[0]

export const namesSecrets = (options: readonly ReferenceOption[], component: KubeObject): boolean =>
  options.some(
    option =>
      !('load' in option) &&
      placesOf(option, component).some(({ value }) => isMap(value) && kindIn(option, value) === 'Secret'),
  )

const kindIn = ({ kind }: ObjectReference, value: JsonMap) => (typeof kind === 'function' ? kind(value) : kind)

/** undefined when the path is not set, or an optional object is missing. */
export const readReference = async (
  path: string,
  options: readonly ReferenceOption[],
  context: ReferenceContext,
): Promise<Referred | undefined> => {
  for (const option of options)
    for (const place of placesOf(option, context.component))
      if (place.path === path) return readOne(option, place, { ...context, room: { characters: charactersMost } })
  return undefined
}

type Reading = ReferenceContext & { readonly room: Room }

const readOne = (option: ReferenceOption, place: Place, context: Reading): Promise<Referred | undefined> =>
  'load' in option ? loaded(option, place, context) : referred(option, place, context)

const loaded = async (option: LoadedReference, { value }: Place, context: LoadContext): Promise<Referred> => {
  const found = await option.load(value, context)
  return { value: found, digest: option.digest(found) }
}

const referred = async (
  option: ObjectReference,
  { path, value }: Place,
  { component, localClient, reads = localClient, room }: Reading,
): Promise<Referred | undefined> => {
  if (!isMap(value) || typeof value.name !== 'string' || value.name === '') throw new TypeError(`${path} has no name`)
  const kind = kindIn(option, value)
  const { namespace = '' } = component.metadata
  const mayBeAway = option.ignoreNotFoundOnDeletion && isDeleting(component)
  if (isFull(room)) return beyond(mayBeAway)
  const read = reads.get({ apiVersion: 'v1', kind, namespace, name: value.name })
  const object = await (mayBeAway ? read.catch(forbiddenIsAway) : read)
  const verdict = object ? referredIn(object, value, option) : `does not exist${wanted(keysOf(value, option))}`
  if (typeof verdict !== 'string') {
    room.characters -= charactersOf(verdict.value)
    return isFull(room) ? beyond(mayBeAway) : verdict
  }
  if (value.optional === true || mayBeAway) return undefined
  throw new ReferenceMissing(`the ${kind} ${namespace}/${value.name}, named in ${path}, ${verdict}`)
}

const beyond = (mayBeAway = false): undefined => {
  if (mayBeAway) return undefined
  throw new RangeError(`the referenced ConfigMaps and Secrets contain more than ${charactersMost} characters`)
}

/** The length of a text, or of all keys of an object. */
const charactersOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length
  const { data, binaryData } = mapOrEmpty(value)
  return [data, binaryData].flatMap(map => Object.values(mapOrEmpty(map))).reduce<number>(lengthWith, 0)
}

const lengthWith = (sum: number, text: unknown): number => sum + String(text).length

/** A refused read counts as a missing object: when a namespace is deleted, service accounts lose their rights first. */
const forbiddenIsAway = nothingIf(error => error instanceof ReferenceForbidden)

const keysOf = ({ key }: JsonMap, { whole, fallbackKeys = [] }: ObjectReference): readonly string[] => {
  if (whole) return []
  return isText(key) ? [key] : fallbackKeys
}

const wanted = (keys: readonly string[]): string =>
  keys.length > 0 ? `; it must have the key ${keys.join(' or ')}` : ''

/** The reference, or a text that names the missing object or key. */
const referredIn = (object: KubeObject, value: JsonMap, option: ObjectReference): Referred | string => {
  const isSecret = object.kind === 'Secret'
  if (option.whole)
    return { value: structuredClone(object), digest: digestOf([object.data, object.binaryData]), isSecret }
  const keys = keysOf(value, option)
  const text = keys.map(one => textOfKey(object, one)).find(one => one !== undefined)
  return text === undefined ? `has no key ${keys.join(' or ')}` : { value: text, digest: digestOf(text), isSecret }
}

const textOfKey = ({ kind, data, binaryData }: KubeObject, key: string): string | undefined => {
  const [plain, encoded] = kind === 'Secret' ? [undefined, data] : [data, binaryData]
  const text = isMap(plain) ? plain[key] : undefined
  if (typeof text === 'string') return text
  const base64 = isMap(encoded) ? encoded[key] : undefined
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString() : undefined
}

const placesOf = ({ path }: ReferenceOption, component: KubeObject): Place[] =>
  path
    .split('.')
    .reduce<Place[]>((places, step) => places.flatMap(place => below(place, step)), [{ path: '', value: component }])
    .filter(({ value }) => value !== undefined && value !== null)

const below = ({ path, value }: Place, step: string): Place[] => {
  const at = (field: string, found: unknown): Place => ({ path: path ? `${path}.${field}` : field, value: found })
  if (step !== '*') return isMap(value) ? [at(step, value[step])] : []
  if (Array.isArray(value)) return value.map((element, index) => at(String(index), element))
  return isMap(value) ? Object.entries(value).map(([field, found]) => at(field, found)) : []
}

/** The component's user may not read the object. */
export class ReferenceForbidden extends Error {
  override readonly name = 'ReferenceForbidden'
}

/**
 * A client with the component's identity. Otherwise a user who may write components but not read Secrets could read Secrets through us.
 * Returns the same client if `as` is undefined.
 */
export const readingAs = (client: ReadClient, as: Impersonation | undefined): ReadClient => {
  if (!as) return client
  const bound = client.bound({ impersonate: as })
  const get: ReadClient['get'] = (ref, options) =>
    bound.get(ref, options).catch(error => {
      if (!isRefused(error, ref.kind)) throw error
      throw new ReferenceForbidden(`${as.user} may not read the ${refText(ref)}`, { cause: error })
    })
  return { ...bound, get }
}

/** Whether the read was refused. If the impersonation was refused, the details name a user instead. */
const isRefused = (error: unknown, kind: string): boolean =>
  error instanceof ApiError && error.code === 403 && error.details.kind === plurals[kind]

const plurals: Readonly<Record<string, string>> = { ConfigMap: 'configmaps', Secret: 'secrets' }
