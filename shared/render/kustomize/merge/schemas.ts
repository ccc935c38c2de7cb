// The lists of a kind that merge, from the built-in table, or from the OpenAPI document that a kustomization names. A document that is
// named before the first look-up of a kind replaces the table. A document that is named later adds to the table.
import { own } from '../../../core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { builtInShape, definedShape, isBuiltInClusterScoped, type TypeShape, typeShapes } from './merge-keys.ts'

export type Schema = {
  /** Keys by which the list merges; undefined if the list is replaced. */
  readonly keys: readonly string[] | undefined
  readonly field: (name: string) => Schema | undefined
  readonly element: () => Schema | undefined
}

export class Schemas {
  #document: OpenApiDocument | undefined
  #usesTable = false
  #isTableNamed = false

  /** Whether a document or the table was already named. Documents that are named later are ignored. */
  get isSet(): boolean {
    return this.#document !== undefined || this.#isTableNamed
  }

  useTable(): void {
    this.#isTableNamed = true
  }

  use(document: unknown): void {
    if (!this.isSet) this.#document = new OpenApiDocument(mapOrEmpty(document), () => this.#usesTable)
  }

  ofKind(apiVersion: string, kind: string): Schema | undefined {
    return this.#document?.ofKind(apiVersion, kind) ?? (this.#table() ? tableSchema(apiVersion, kind) : undefined)
  }

  isClusterScoped = (apiVersion: string, kind: string): boolean => {
    if (isBuiltInClusterScoped(apiVersion, kind)) return true
    if (builtInShape(apiVersion, kind) === undefined) this.#table()
    return this.#document?.isClusterScoped(apiVersion, kind) ?? false
  }

  /** Uses the table if a kind is looked up before a document is named. */
  #table(): boolean {
    this.#usesTable ||= this.#document === undefined
    return this.#usesTable
  }
}

const tableSchema = (apiVersion: string, kind: string): Schema | undefined => {
  const shape = builtInShape(apiVersion, kind)
  return shape && ofShape(shape)
}

const ofShape = (shape: TypeShape | undefined, keys?: readonly string[]): Schema => ({
  keys,
  field: name => {
    const field = shape && Object.hasOwn(shape, name) ? shape[name] : undefined
    return field && ofShape(field.to === undefined ? {} : typeShapes[field.to], field.keys)
  },
  element: () => ofShape(shape),
})

class OpenApiDocument {
  readonly #definitions: JsonMap
  readonly #kinds = new Map<string, JsonMap>()
  readonly #namespaced = new Map<string, boolean>()

  readonly #hasTable: () => boolean

  /** If the table is used too, definitions may refer to its types. */
  constructor(document: JsonMap, hasTable: () => boolean) {
    this.#hasTable = hasTable
    this.#definitions = mapOrEmpty(document.definitions)
    for (const definition of Object.values(this.#definitions).filter(isMap))
      for (const kind of kindsOf(definition)) this.#kinds.set(kind, definition)
    for (const [path, item] of Object.entries(mapOrEmpty(document.paths)))
      for (const kind of kindsOf(mapOrEmpty(mapOrEmpty(item).get)))
        this.#namespaced.set(kind, path.includes('namespaces/{namespace}') || this.#namespaced.get(kind) === true)
  }

  ofKind(apiVersion: string, kind: string): Schema | undefined {
    const definition = this.#kinds.get(`${apiVersion} ${kind}`)
    return definition && this.#schema(definition)
  }

  isClusterScoped(apiVersion: string, kind: string): boolean {
    return this.#namespaced.get(`${apiVersion} ${kind}`) === false
  }

  #schema(given: JsonMap): Schema {
    const { schema, name } = this.#resolved(given)
    const builtIn = name === undefined || !this.#hasTable() ? undefined : definedShape(name)
    return builtIn ? ofShape(builtIn, mergeKeys(given)) : this.#own(schema)
  }

  #own(schema: JsonMap): Schema {
    return {
      keys: mergeKeys(schema),
      field: name => {
        const property = isMap(schema.properties) ? own(schema.properties, name) : undefined
        const found = property ?? schema.additionalProperties
        return isMap(found) ? this.#schema(found) : undefined
      },
      element: () => (schema.type === 'array' && isMap(schema.items) ? this.#schema(schema.items) : undefined),
    }
  }

  #resolved(given: JsonMap): { readonly schema: JsonMap; readonly name?: string } {
    const seen = new Set<JsonMap>()
    let schema = given
    while (typeof schema.$ref === 'string' && !seen.has(schema)) {
      seen.add(schema)
      const name = schema.$ref.replace('#/definitions/', '')
      const target = own(this.#definitions, name)
      if (!isMap(target)) return { schema: {}, name }
      schema = target
    }
    return { schema }
  }
}

const mergeKeys = (schema: JsonMap): readonly string[] | undefined => {
  const strategy = schema['x-kubernetes-patch-strategy']
  if (typeof strategy !== 'string' || !strategy.split(',').includes('merge')) return undefined
  const keys = schema['x-kubernetes-list-map-keys']
  if (Array.isArray(keys)) return keys.map(String)
  const key = schema['x-kubernetes-patch-merge-key']
  return typeof key === 'string' ? [key] : []
}

/** The kinds of the element, for example `apps/v1 Deployment`. */
const kindsOf = (element: JsonMap): string[] => {
  const kinds = element['x-kubernetes-group-version-kind']
  return (Array.isArray(kinds) ? kinds : [kinds])
    .filter(isMap)
    .map(({ group, version, kind }) => `${group ? `${group}/` : ''}${version} ${kind}`)
}
