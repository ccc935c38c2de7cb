// Immutable Secrets and ConfigMaps whose names end in a digest of their data: who uses one refers to exactly this content, and a
// changed content is another object.
//
//   const config = configMap('etcd-druid-config', { 'config.yaml': text })
//   metadata: { annotations: referencesTo([config]) } // on whoever mounts it, so that it is not collected as garbage
import { sha256Hex } from '../../../../shared/core/digest.ts'
import { canonicalJson, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../../shared/core/objects/secret-text.ts'
import { namespace as garden, ownershipLabel, prefixes } from './names.ts'

type Texts = Readonly<Record<string, string>>
type Options = { readonly namespace?: string; readonly labels?: Texts }

export const configMap = (name: string, data: Texts, options: Options = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: configMetadata(name, data, options),
  immutable: true,
  data,
})

/** `data` as text. */
export const configSecret = (name: string, texts: Texts, options: Options = {}): KubeObject => {
  const data = encodedTexts(texts)
  const metadata = configMetadata(name, data, options)
  return { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', immutable: true, data }
}

/** Annotations of a user, and of its Pods, that keep these from being collected as garbage. */
export const referencesTo = (objects: readonly KubeObject[]): Record<string, string> =>
  Object.fromEntries(
    objects.map(({ kind, metadata: { name } }) => [
      `${prefixes.reference}/${kind.toLowerCase()}-${sha256Hex(name).slice(0, 8)}`,
      name,
    ]),
  )

/** Whether it goes as garbage when nobody refers to it. */
export const isCollectable = ({ metadata }: KubeObject): boolean => metadata.labels?.[collectable] === 'true'

const collectable = `${prefixes.resources}/garbage-collectable-reference`

const configMetadata = (name: string, data: Texts, { namespace = garden, labels }: Options) => ({
  name: `${name}-${sha256Hex(canonicalJson(mapOrEmpty(data))).slice(0, 8)}`,
  namespace,
  labels: { ...labels, ...ownershipLabel, [collectable]: 'true' },
})
