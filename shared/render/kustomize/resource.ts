// One object during the build: its identity by group, version, kind, name and namespace, its former identities, prefixes and suffixes, because
// other objects still refer to it by its former names. No two objects of a result have the same identity.
import { own, put } from '../../core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../core/json/json.ts'
import { blaming, RenderError } from '../generator.ts'
import { type Document, documentsIn, nodeScalar, nodeText } from './files/documents.ts'

export type Behavior = 'create' | 'replace' | 'merge' | 'unspecified'

type Former = { readonly namespace: string; readonly name: string; readonly kind: string }

export class Resource {
  /** The object, changed in place; undefined after a patch deleted the object. */
  object: JsonMap | undefined
  readonly scopes: Scopes
  /** Former identities, oldest first. Group and version are the current ones of the object. */
  former: readonly Former[] = []
  prefixes: readonly string[] = []
  suffixes: readonly string[] = []
  behavior: Behavior = 'unspecified'
  needsHash = false
  variables: readonly string[] = []
  origin: Origin | undefined
  transformations: readonly Origin[] = []
  /**
   * If one transformer sets a label in several places of an object, the places share one value: a change of one place changes all.
   * kubectl's results depend on this. Example: an overlay changes a common label without selectors, and the selectors change too.
   */
  twins: readonly Twins[] = []

  constructor(object: JsonMap, scopes: Scopes) {
    this.object = object
    this.scopes = scopes
  }

  get fields(): JsonMap {
    return this.object ?? {}
  }

  get isEmpty(): boolean {
    return this.object === undefined || Object.keys(this.object).length === 0
  }

  get name(): string {
    return nodeScalar(own(this.#metadata, 'name'))
  }

  get namespace(): string {
    return nodeScalar(own(this.#metadata, 'namespace'))
  }

  get kind(): string {
    return nodeScalar(this.fields.kind)
  }

  get current(): Identity {
    return this.#identity(this.kind, this.name, this.namespace)
  }

  get previous(): Identity[] {
    return this.former.map(({ kind, name, namespace }) => this.#identity(kind, name, namespace))
  }

  get original(): Identity {
    return this.previous[0] ?? this.current
  }

  get identities(): Identity[] {
    return [...this.previous, this.current]
  }

  /** Call before a change of name, namespace or kind. */
  rememberIdentity(): void {
    const { kind, name } = this.current
    this.former = [...this.former, { kind, name, namespace: effectiveNamespace(this.current) }]
  }

  setMetadata(key: string, value: unknown): void {
    if (!isMap(this.fields.metadata)) put(this.fields, 'metadata', {})
    const metadata = this.#metadata
    if (metadata === undefined) return
    if (value === undefined) delete metadata[key]
    else put(metadata, key, value)
  }

  texts(key: 'labels' | 'annotations'): Record<string, string> {
    const map = own(this.#metadata, key)
    return isMap(map) ? Object.fromEntries(Object.entries(map).map(([name, value]) => [name, nodeText(value)])) : {}
  }

  setTexts(key: 'labels' | 'annotations', texts: Record<string, string>): void {
    this.setMetadata(key, Object.keys(texts).length === 0 ? undefined : texts)
  }

  get #metadata(): JsonMap | undefined {
    return isMap(this.fields.metadata) ? this.fields.metadata : undefined
  }

  #identity(kind: string, name: string, namespace: string): Identity {
    const gvk = { ...gvkOf(this.fields), kind }
    return { ...gvk, name, namespace, isClusterScoped: this.scopes(nodeScalar(this.fields.apiVersion), kind) }
  }
}

/** The objects of the text. A list is replaced by its items. */
export const resourcesIn = (text: string, scopes: Scopes): Resource[] => {
  const documents = documentsIn(text)
  const [only] = documents
  const wrapped = documents.length === 1 && only ? wrappedIn(only) : undefined
  return flattened(wrapped ?? documents).map(object => new Resource(object, scopes))
}

/** The items of a `List` or `ResourceList` that is the only document; otherwise undefined. */
const wrappedIn = ({ value, line }: Document): Document[] | undefined => {
  if (!isMap(value) || (value.kind !== 'List' && value.kind !== 'ResourceList')) return undefined
  const items = own(value, 'items')
  if (items === undefined) return undefined
  return Array.isArray(items) ? items.map(item => ({ value: item, line })) : []
}

type Written = { readonly object: JsonMap; readonly line: number }

/** Replaces objects whose kind ends in `List` by their items, and puts the items at the end. */
const flattened = (documents: readonly Document[]): JsonMap[] => {
  const all = writtenIn(documents)
  for (const one of all) if (isList(one.object)) all.push(...writtenIn(itemsOf(one)))
  return all.map(({ object }) => object).filter(object => !isList(object))
}

const writtenIn = (documents: readonly Document[]): Written[] =>
  documents
    .filter(({ value }) => isPresent(value))
    .map(({ value, line }) => ({ object: blaming({ kind: 'resource', line }, () => validated(value)), line }))

const isList = (object: JsonMap): boolean => nodeScalar(object.kind).endsWith('List') && Object.hasOwn(object, 'items')

const itemsOf = ({ object: { kind, items }, line }: Written): Document[] => {
  if (items === null || items === undefined) return []
  if (!Array.isArray(items))
    throw new RenderError(`expected a list in ${nodeScalar(kind)}/items`, { blame: { kind: 'resource', line } })
  return items.map(value => ({ value, line }))
}

const isPresent = (value: unknown): boolean =>
  value !== null && value !== undefined && (typeof value !== 'object' || Object.keys(value).length > 0)

const validated = (value: unknown): JsonMap => {
  if (!isMap(value)) throw new RenderError('missing Resource metadata')
  if (nodeScalar(value.kind) === '') throw new RenderError(`missing kind in object ${excerpt(value)}`)
  const metadata = mapOrEmpty(value.metadata)
  if (nodeScalar(own(metadata, 'name')) === '' && !nodeScalar(value.kind).endsWith('List'))
    throw new RenderError(`missing metadata.name in object ${excerpt(value)}`)
  return value
}

const excerpt = (value: unknown): string => JSON.stringify(value).slice(0, 200)

type Place = { readonly map: JsonMap; readonly key: string }

type Twins = { readonly value: unknown; readonly places: readonly Place[] }

export const tie = (resource: Resource, places: readonly Place[]): void => {
  const [first] = places
  if (first && places.length > 1) resource.twins = [...resource.twins, { value: own(first.map, first.key), places }]
}

/** Call after a change: a changed entry passes its value to its twins. */
export const settleTwins = (resource: Resource): void => {
  resource.twins = resource.twins.map(({ value, places }) => {
    const left = places.filter(({ map, key }) => Object.hasOwn(map, key))
    const changed = left.findLast(({ map, key }) => own(map, key) !== value)
    const current = changed ? own(changed.map, changed.key) : value
    for (const { map, key } of left) put(map, key, current)
    return { value: current, places: left }
  })
}

/** Where an object comes from, for buildMetadata: a file, or the generator or transformer that a kustomization or file configures. */
export type Origin = {
  readonly path?: string
  readonly configuredIn?: string
  readonly configuredBy?: {
    readonly apiVersion: string
    readonly kind: string
    readonly name?: string
    readonly namespace?: string
  }
}

export const builtInOrigin = (path: string, file: string, kind: string): Origin => ({
  configuredIn: path === '' ? file : `${path}/${file}`,
  configuredBy: { apiVersion: 'builtin', kind },
})

type Traced = { origin: Origin | undefined; transformations: readonly Origin[] }

/** An object without an origin was just generated: records the origin. Every other object records its transformer. */
export const noteTransformation = (resources: readonly Traced[], origin: Origin): void => {
  for (const resource of resources) {
    if (resource.origin === undefined) resource.origin = origin
    else resource.transformations = [...resource.transformations, origin]
  }
}

type Gvk = { readonly group: string; readonly version: string; readonly kind: string }

export type GvkPattern = Partial<Gvk>

export type Identity = Gvk & {
  readonly name: string
  readonly namespace: string
  readonly isClusterScoped: boolean
}

export type Scopes = (apiVersion: string, kind: string) => boolean

export const groupAndVersion = (apiVersion: string): { group: string; version: string } => {
  const slash = apiVersion.indexOf('/')
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

export const isSelected = (gvk: Gvk, pattern: GvkPattern): boolean =>
  (!pattern.group || pattern.group === gvk.group) &&
  (!pattern.version || pattern.version === gvk.version) &&
  (!pattern.kind || pattern.kind === gvk.kind)

export const isSameKind = (left: Gvk, right: Gvk): boolean =>
  left.group === right.group && left.version === right.version && left.kind === right.kind

const noNamespaceAtAll = '_non_namespaceable_'

/** `default` if the object names no namespace. Cluster-scoped objects share a namespace of their own, even if they name one. */
export const effectiveNamespace = ({ isClusterScoped, namespace }: Identity): string =>
  isClusterScoped ? noNamespaceAtAll : namespace || 'default'

export const isSameIdentity = (left: Identity, right: Identity): boolean => identityKey(left) === identityKey(right)

export const identityKey = (identity: Identity): string =>
  JSON.stringify([identity.group, identity.version, identity.kind, effectiveNamespace(identity), identity.name])

export const identityText = ({ group, version, kind, name, namespace }: Identity): string =>
  `${kind}.${version}.${group || '[noGrp]'}/${name || '[noName]'}.${namespace || '[noNs]'}`

export const gvkOf = (object: JsonMap): Gvk => ({
  ...groupAndVersion(nodeScalar(object.apiVersion)),
  kind: nodeScalar(object.kind),
})
