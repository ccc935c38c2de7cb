// Strategic merge as kustomize does it, unlike the API server: lists of known kinds merge by key and begin with the elements of the patch,
// and `$patch` is the only directive. The merge also visits fields that the patch omits. Changes both arguments in place: pass copies.
import { own, put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import { absent, isNothing, nodeScalar } from '../files/documents.ts'
import { mergedElements } from './merge-lists.ts'
import type { Schema } from './schemas.ts'

export type SchemaOfKind = (apiVersion: string, kind: string) => Schema | undefined

/** undefined if the patch deletes the object. As in kubectl, `$patch: replace` for a whole object has no effect. */
export const strategicMerged = (object: JsonMap, patch: JsonMap, schemaOf: SchemaOfKind): JsonMap | undefined => {
  const result = merged(object, patch, undefined, schemaOf)
  if (result === patch) return object
  return isMap(result) ? result : undefined
}

const merged = (target: unknown, patch: unknown, known: Schema | undefined, schemaOf: SchemaOfKind): unknown => {
  const schema = known ?? schemaOfValue(target, schemaOf) ?? schemaOfValue(patch, schemaOf)
  const kind = kindOf(isNothing(target) ? patch : target)
  if (!isNothing(target) && !isNothing(patch) && kindOf(patch) !== kind)
    throw new RenderError(`wrong node kind: expected ${kind} but got ${kindOf(patch)}`)
  if (kind === 'scalar') return patch === absent ? target : (patch ?? absent)
  if (kind === 'list') return mergedList(target, patch, schema, schemaOf)
  return mergedMap(target, patch, schema, schemaOf)
}

const kindOf = (value: unknown): 'map' | 'list' | 'scalar' | 'nothing' => {
  if (isNothing(value)) return 'nothing'
  return Array.isArray(value) ? 'list' : isMap(value) ? 'map' : 'scalar'
}

const schemaOfValue = (value: unknown, schemaOf: SchemaOfKind): Schema | undefined => {
  if (!isMap(value)) return undefined
  const [apiVersion, kind] = [nodeScalar(value.apiVersion), nodeScalar(value.kind)]
  return apiVersion && kind ? schemaOf(apiVersion, kind) : undefined
}

const mergedMap = (target: unknown, patch: unknown, schema: Schema | undefined, schemaOf: SchemaOfKind): unknown => {
  const result = isNothing(target) ? added(target, patch) : changed(target, patch)
  if (!isMap(result)) return result
  const patchMap = mapOrEmpty(patch)
  for (const key of new Set([...Object.keys(result), ...Object.keys(patchMap)])) {
    const value = merged(valueAt(result, key), valueAt(patchMap, key), schema?.field(key), schemaOf)
    if (value === absent) delete result[key]
    else put(result, key, value)
  }
  return result
}

const valueAt = (map: JsonMap, key: string): unknown => (Object.hasOwn(map, key) ? own(map, key) : absent)

/** The value of a new key: a written null stays, an empty value does not. */
const added = (target: unknown, patch: unknown): unknown => {
  if (patch === absent) return target === null ? null : absent
  if (!isMap(patch)) return absent
  return takeDirective(patch) === 'delete' ? absent : patch
}

const changed = (target: unknown, patch: unknown): unknown => {
  if (patch === absent) return target
  if (!isMap(patch)) return absent
  return outcomes[takeDirective(patch)](target, patch)
}

const outcomes: Readonly<Record<Directive, (target: unknown, patch: unknown) => unknown>> = {
  merge: target => target,
  replace: (_target, patch) => patch,
  delete: () => absent,
}

type Directive = 'merge' | 'replace' | 'delete'

const takeDirective = (patch: JsonMap): Directive => {
  if (!Object.hasOwn(patch, '$patch')) return 'merge'
  const directive = directiveOf(patch.$patch)
  delete patch.$patch
  return directive
}

const directiveOf = (value: unknown): Directive => {
  if (value === 'merge' || value === 'replace' || value === 'delete') return value
  throw new RenderError(`unknown patch strategy '${nodeScalar(value)}'`)
}

const mergedList = (target: unknown, patch: unknown, schema: Schema | undefined, schemaOf: SchemaOfKind): unknown => {
  if (schema?.keys === undefined) return patch === absent ? target : (patch ?? absent)
  const result = isNothing(target) ? patch : changedList(target, patch)
  if (!Array.isArray(result)) return absent
  const elementSchema = schema.element()
  return mergedElements(result, Array.isArray(patch) ? patch : [], schema.keys, (one, other) =>
    merged(one, other, elementSchema, schemaOf),
  )
}

const changedList = (target: unknown, patch: unknown): unknown => {
  if (patch === absent) return target
  if (!Array.isArray(patch)) return absent
  return outcomes[takeListDirective(patch)](target, patch)
}

const takeListDirective = (patch: unknown[]): Directive => {
  const element = patch.find(one => isMap(one) && Object.hasOwn(one, '$patch'))
  if (!isMap(element) || Object.keys(element).length > 1) return 'merge'
  const directive = directiveOf(element.$patch)
  const rest = patch.filter(one => !isMap(one) || (Object.keys(one).length > 0 && one.$patch !== directive))
  patch.splice(0, patch.length, ...rest.filter(one => !isNothing(one)))
  return directive
}
