// Reads and writes the base64 texts of Secrets. Code that must distinguish a missing key from an empty key reads `data` itself.
//
// secretText(secret, 'tls.crt') // '-----BEGIN CERTIFICATE-----…'; '' when the key is missing
//   { apiVersion: 'v1', kind: 'Secret', metadata, data: encodedTexts({ username: 'admin', password }) }
import { valueAt } from '../json/fields.ts'
import type { KubeObject } from './object.ts'

/**
 * The text of one key; '' when the Secret or the key is missing.
 *
 *   secretText(secret, 'password') // 'open sesame'
 */
export const secretText = (secret: KubeObject | undefined, key: string): string =>
  Buffer.from(String(valueAt(secret?.data, key) ?? ''), 'base64').toString()

export const encodedText = (text: string): string => Buffer.from(text).toString('base64')

export const encodedTexts = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encodedText(text)]))
