// A key with which an API server encrypts objects, as a Secret holds it and as the API server needs it. Our Secrets hold plain bytes
// (`encoding: none`); those of others may hold base64.
//
//   keyInFile(secret) // { provider: 'secretbox', name: 'key1767225600', secret: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' }
import { mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'

export type KeyInFile = {
  readonly provider: string
  /** Each encrypted object in the etcd contains the name of its key. */
  readonly name: string
  /** In base64. */
  readonly secret: string
}

/** For keys whose Secret names no provider, and for Gardens that name none. */
export const usualProvider = 'aescbc'

export const keyInFile = (secret: KubeObject): KeyInFile => {
  const isPlain = secretText(secret, 'encoding') === 'none'
  const text = isPlain ? String(mapOrEmpty(secret.data).secret ?? '') : secretText(secret, 'secret')
  return { provider: secretText(secret, 'provider') || usualProvider, name: secretText(secret, 'key'), secret: text }
}

/** The key lengths of each provider, in bytes. With another length an API server does not start. */
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
