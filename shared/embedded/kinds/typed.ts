// Makes an object of a kind from JSON: decoded, defaulted and, for custom kinds, pruned.
import { apiVersionOf, type KubeObject, type ObjectMeta } from '../../core/objects/object.ts'
import { traitsOf } from '../builtin/traits.ts'
import { fieldsAt, type JsonMap } from '../value.ts'
import { objectMetaName } from './builtin.ts'
import { decodeAs } from './decode.ts'
import type { Kind } from './kind.ts'

/** A new object. `unknown` receives the paths of dropped fields. Throws DecodeError. */
export const typedObject = (kind: Kind, value: JsonMap, unknown: string[]): KubeObject => {
  if (kind.custom) return kind.custom.read(value, typedMeta(value.metadata, unknown), unknown)
  const decoded = kind.schema?.$ref ? decodeAs(kind.schema.$ref, value, unknown) : { ...value }
  const metadata = (fieldsAt(decoded, 'metadata') ?? {}) as ObjectMeta
  const object: KubeObject = { ...decoded, kind: kind.kind, apiVersion: apiVersionOf(kind), metadata }
  const headed: KubeObject = { kind: object.kind, apiVersion: object.apiVersion, metadata, ...withoutHead(object) }
  traitsOf(kind).defaults?.(headed)
  return headed
}

/** Built-in objects begin with kind and apiVersion. The store relies on this order. */
const withoutHead = ({ kind: _, apiVersion: __, metadata: ___, ...rest }: KubeObject): JsonMap => rest

export const typedMeta = (value: unknown, unknown: string[]): ObjectMeta => {
  const inner: string[] = []
  const metadata = decodeAs(objectMetaName, value ?? {}, inner) as ObjectMeta
  unknown.push(...inner.map(path => `metadata.${path}`))
  return metadata
}
