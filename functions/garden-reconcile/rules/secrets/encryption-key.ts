// A key with which an API server encrypts what it stores, as a Secret holds it and as the API server wants it. Ours are bytes as they are
// (`encoding: none`); those of others may be base64 already.
//
//   keyInFile(secret) // { provider: 'secretbox', name: 'key1767225600', secret: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=' }
import { mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { secretText } from '../../../../shared/core/objects/secret-text.ts'

export type KeyInFile = {
  readonly provider: string
  /** Each encrypted object in the etcd has the name of its key. */
  readonly name: string
  /** In base64. */
  readonly secret: string
}

/** Of keys whose Secret names none, and of Gardens that name none. */
export const usualProvider = 'aescbc'

export const keyInFile = (secret: KubeObject): KeyInFile => {
  const isPlain = secretText(secret, 'encoding') === 'none'
  const text = isPlain ? String(mapOrEmpty(secret.data).secret ?? '') : secretText(secret, 'secret')
  return { provider: secretText(secret, 'provider') || usualProvider, name: secretText(secret, 'key'), secret: text }
}

/** In bytes, the lengths that the keys of a provider may have. With another one an API server does not start. */
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

/** Base64 may be broken into lines anywhere. */
const withoutBreaks = (text: string): string => text.replace(/[\r\n]/g, '')
