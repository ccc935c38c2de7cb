// The files of an artifact that a ConfigMap holds: packed under one key, or one file per key, where `__` stands for `/`, which
// keys cannot hold.
import { mapOrEmpty } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { naming, ofArtifact } from '../blame.ts'
import { type Files, RenderError } from '../generator.ts'
import { pathFault, plainPath } from './paths.ts'
import { unpackTarGz, withoutFolder } from './unpack.ts'

/** A chart is packed with its folder, other files are not. */
export type PackedAs = 'chart' | 'files'

const packedKey = 'artifact.tgz'

/** Throws RenderError, which names the ConfigMap. */
export const configMapFiles = (configMap: KubeObject, packedAs: PackedAs): Files => {
  const about = `ConfigMap ${configMap.metadata.name}`
  const content = contentOf(configMap)
  if (content.size === 0) throw new RenderError(`${about} is empty`, { quotesNoValues: true })
  const artifact = content.get(packedKey)
  return naming(about, () => ofArtifact(() => (artifact ? unpackedAs(packedAs, artifact) : filePerKey(content))))
}

/** The files of a packed artifact. Throws RenderError. */
export const unpackedAs = (packedAs: PackedAs, artifact: Uint8Array): Files =>
  packedAs === 'chart' ? withoutFolder(unpackTarGz(artifact)) : unpackTarGz(artifact)

const filePerKey = (content: ReadonlyMap<string, Uint8Array>): Files =>
  new Map([...content].map(([key, bytes]) => [pathOfKey(key), bytes]))

const pathOfKey = (key: string): string => {
  const path = key.replaceAll('__', '/')
  const fault = pathFault(path)
  if (fault) throw new RenderError(`the key ${key} ${fault}`)
  return plainPath(path)
}

const contentOf = ({ data, binaryData }: KubeObject): Map<string, Uint8Array> =>
  new Map([
    ...textsIn(data).map(([key, text]) => [key, Buffer.from(text)] as const),
    ...textsIn(binaryData).map(([key, base64]) => [key, Buffer.from(base64, 'base64')] as const),
  ])

const textsIn = (map: unknown): [string, string][] =>
  Object.entries(mapOrEmpty(map)).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
