// A key with which an API server encrypts objects, as stored in the Secret and as needed by the API server. Our Secrets hold plain bytes
// (`encoding: none`). Secrets of other programs may hold base64.
//
//   keyInFile(secret) // { provider: 'secretbox', name: 'key1767225600', secret: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' }
import { mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'

export type KeyInFile = {
  readonly provider: string
  /** The name of the key, which each encrypted object in the etcd contains. */
  readonly name: string
  /** The key in base64. */
  readonly secret: string
}

/** The provider if a key's Secret or the Garden names none. */
export const usualProvider = 'aescbc'

export const keyInFile = (secret: KubeObject): KeyInFile => {
  const isPlain = secretText(secret, 'encoding') === 'none'
  const text = isPlain ? String(mapOrEmpty(secret.data).secret ?? '') : secretText(secret, 'secret')
  return { provider: secretText(secret, 'provider') || usualProvider, name: secretText(secret, 'key'), secret: text }
}

/** The key lengths of each provider, in bytes. An API server does not start with a key of another length. */
const keyBytes: ReadonlyMap<string, readonly number[]> = new Map([
  ['aescbc', [16, 24, 32]],
  ['aesgcm', [16, 24, 32]],
  ['secretbox', [32]],
])

export const isEncryptionKey = (secret: KubeObject): boolean => {
  const key = keyInFile(secret)
  const bytes = Buffer.from(key.secret, 'base64')
  const isLong = keyBytes.get(key.provider)?.includes(bytes.length) === true
  return key.name !== '' && isLong && bytes.toString('base64') === withoutBreaks(key.secret)
}

/** Base64 may contain line breaks anywhere. */
const withoutBreaks = (text: string): string => text.replace(/[\r\n]/g, '')
