// Reads manifests and indexes of artifacts, and finds the layer with the files. `layerTypes` has a row per kind.
import { isMap, type JsonMap, mapOrEmpty, parsedJson } from '../../core/json/json.ts'
import { isBeyond, type JsonBounds } from '../../core/json/json-bounds.ts'
import { ArtifactError } from '../artifact-error.ts'

/** `chart`: a packed Helm chart. `files`: any packed folder. */
export type ArtifactKind = 'chart' | 'files'

type Descriptor = { readonly mediaType: string; readonly digest: string; readonly size: number }

export type OciManifest = { readonly layers: readonly Descriptor[]; readonly version: string | undefined }

type Document = { is: 'manifest'; manifest: OciManifest } | { is: 'index'; manifests: readonly Descriptor[] }

const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
]
const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
]

export const acceptedTypes = [...manifestTypes, ...indexTypes].join(', ')

const layerTypes: Readonly<Record<ArtifactKind, { what: string; fits: RegExp }>> = {
  // Helm used the second type before it had its own type.
  chart: { what: 'Helm chart', fits: /^application\/(vnd\.cncf\.helm\.chart\.content\.v1\.tar\+gzip|tar\+gzip)$/ },
  files: { what: 'packed folder', fits: /[./]tar[.+]gzip$/ },
}

/** Throws ArtifactError if the body is neither a manifest nor an index. */
export const documentIn = (body: Uint8Array): Document => {
  const value = jsonIn(body)
  if (!isMap(value)) throw new ArtifactError('unreadable', 'its manifest is not a JSON object, or has too many parts')
  if (Array.isArray(value.manifests))
    return { is: 'index', manifests: value.manifests.filter(isOurs).map(descriptorOf) }
  if (Array.isArray(value.layers)) return { is: 'manifest', manifest: manifestOf(value, value.layers) }
  throw new ArtifactError('mediaType', 'it has neither layers nor manifests')
}

const manifestOf = ({ annotations }: JsonMap, layers: readonly unknown[]): OciManifest => {
  const version = isMap(annotations) ? annotations['org.opencontainers.image.version'] : undefined
  return { layers: layers.map(descriptorOf), version: isVersion(version) ? version : undefined }
}

/** The version is written into a status. Long or unprintable versions are dropped. */
const isVersion = (value: unknown): value is string => typeof value === 'string' && /^[!-~]{1,128}$/.test(value)

/** The layer with the files. Throws ArtifactError unless exactly one layer fits. */
export const layerOf = ({ layers }: OciManifest, kind: ArtifactKind): Descriptor => {
  const { what, fits } = layerTypes[kind]
  const fitting = layers.filter(({ mediaType }) => fits.test(mediaType))
  const [layer] = fitting
  if (layer && fitting.length === 1) return layer
  const types = [...new Set(layers.map(({ mediaType }) => mediaType))]
    .join(', ')
    .slice(0, 200)
    .replace(/[^ -~]/g, '?')
  throw new ArtifactError(
    'mediaType',
    `it is not a ${what}: ${fitting.length} of its layers (${types || 'none'}) have the expected media type, expected exactly one`,
  )
}

/** Skips attestations, which builders add to an index as manifests for the platform `unknown`. */
const isOurs = (entry: unknown): boolean =>
  isMap(entry) && manifestTypes.includes(String(entry.mediaType)) && !isAttestation(entry)

const isAttestation = ({ platform }: JsonMap): boolean => isMap(platform) && platform.os === 'unknown'

const descriptorOf = (value: unknown): Descriptor => {
  const { mediaType, digest, size } = mapOrEmpty(value)
  if (typeof mediaType !== 'string' || !isDigest(digest) || typeof size !== 'number' || !(size >= 0))
    throw new ArtifactError('unreadable', 'its manifest has an entry without media type, sha256 digest or size')
  return { mediaType, digest, size }
}

/** Limits at a hundred times the size of real artifacts. A text of only brackets would take twenty times its bytes, and block the host. */
const partsMost: JsonBounds = { depth: 100, values: 100_000 }

/** undefined for invalid JSON or too many values. An error would quote the text. */
export const jsonIn = (text: string | Uint8Array): unknown => {
  const bytes = Buffer.from(text)
  return isBeyond(bytes, partsMost) ? undefined : parsedJson(bytes.toString('utf8'))
}

export const isDigest = (text: unknown): text is string =>
  typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text)
