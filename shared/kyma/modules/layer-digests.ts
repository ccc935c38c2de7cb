// Whether the layers of a signed component are the signed layers. After the signing, the registry or the location in the descriptor may have
// been changed.
import type { Reading } from '../../core/decisions/reading.ts'
import { isText, type JsonMap, mapOrEmpty, shownText } from '../../core/json/json.ts'
import { blobReference, isLocalBlob, type ModuleDescriptor } from './descriptor.ts'
import { hashNamed } from './signature.ts'

export type SignedLayer = {
  readonly resource: string
  readonly ref: string
  /** The name of the hash in Node. */
  readonly hash: string
  readonly value: string
}

/** The layers whose bytes must be compared. `failed` names a resource without a digest or a reference. */
export const signedLayers = ({ resources }: ModuleDescriptor): Reading<readonly SignedLayer[]> => {
  const layers = resources.filter(isLocalBlob).map(signedLayer)
  const fault = layers.find(layer => 'failed' in layer)
  return fault ?? { read: layers.flatMap(layer => ('read' in layer ? layer.read : [])) }
}

/** `digests`: the digest of the stored bytes, and the digest of the unpacked bytes. */
export const signedLayerFault = (
  { resource, value }: SignedLayer,
  digests: Reading<readonly string[]>,
): string | undefined => {
  if ('failed' in digests) return digests.failed
  return digests.read.includes(value) ? undefined : `the layer of resource ${resource} differs from the signed layer`
}

const signedLayer = (resource: JsonMap): Reading<SignedLayer> => {
  const { name, digest } = resource
  const { hashAlgorithm, value } = mapOrEmpty(digest)
  const hash = hashNamed(hashAlgorithm)
  const ref = blobReference(resource)
  if (hash === undefined || !isText(value)) return { failed: `resource ${shownText(name)} has no signed digest` }
  if (!isText(ref)) return { failed: `resource ${shownText(name)} has no reference to its layer` }
  return { read: { resource: shownText(name), ref, hash, value } }
}
