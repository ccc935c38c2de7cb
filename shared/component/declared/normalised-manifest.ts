// A rendered manifest as it is compared and sent. Example: a Secret's stringData becomes data, and an owner label that the
// template wrote is dropped, since only the engine writes it.
import { isMap, type JsonMap, mapOrEmpty } from '../../core/json/json.ts'
import { remembered } from '../../core/memory/remembered.ts'
import type { KubeObject, ObjectMeta } from '../../core/objects/object.ts'
import { encodedText } from '../../core/objects/secret-text.ts'
import type { EngineInput } from '../world.ts'
import { objectDigest } from './digests.ts'
import type { ScopeOf } from './kind-scopes.ts'
import { digestKey, ownerKey } from './owner.ts'

/** The object without our labels and annotations, and its digest. */
type Normalised = { readonly object: KubeObject; readonly digest: string }

type Where = Pick<EngineInput, 'settings' | 'namespace'>

export const normalised = (manifest: KubeObject, input: Where, scope: ReturnType<ScopeOf>): Normalised =>
  normalisedIn(manifest, input.settings.reconcilerName, input.namespace, scope)

const normalisedIn = remembered(
  (manifest: KubeObject, reconcilerName: string, namespace: string, scope: ReturnType<ScopeOf>): Normalised => {
    const { namespace: written, ...metadata } = ownedMetadata(manifest.metadata, reconcilerName)
    const inherited = scope === 'namespaced' ? namespace : undefined
    const place = scope === 'cluster' ? undefined : written || inherited
    const object = withoutStringData({ ...manifest, metadata: place ? { ...metadata, namespace: place } : metadata })
    return { object, digest: objectDigest(object) }
  },
)

/**
 * Without our own labels and annotations, without nulls, and without managedFields, which an API server refuses in an apply.
 */
const ownedMetadata = (metadata: ObjectMeta, reconcilerName: string): ObjectMeta => {
  const owned = [ownerKey(reconcilerName), digestKey(reconcilerName)]
  const { managedFields: _, ...rendered } = metadata
  const entries = Object.entries(rendered).filter(([_, value]) => value !== null && value !== undefined)
  const cleared = entries.map(([field, value]) =>
    (field === 'labels' || field === 'annotations') && isMap(value) ? [field, without(value, owned)] : [field, value],
  )
  return Object.fromEntries(cleared)
}

const without = (map: JsonMap, keys: readonly string[]): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)))

/** A Secret as it will be stored: stringData is write-only, so it could never be compared with the live object. */
const withoutStringData = (object: KubeObject): KubeObject => {
  if (object.apiVersion !== 'v1' || object.kind !== 'Secret' || !('stringData' in object)) return object
  const { stringData, ...secret } = object
  const encoded = Object.entries(mapOrEmpty(stringData)).map(([key, text]) => [key, encodedText(String(text ?? ''))])
  return { ...secret, data: { ...mapOrEmpty(secret.data), ...Object.fromEntries(encoded) } }
}
