// Texts as a Secret holds them, in base64. What a text must be to be of use (a kubeconfig, a certificate) its readers judge, and where a
// key that is missing differs from an empty one they look into `data` themselves.
//
//   secretText(secret, 'tls.crt') // '-----BEGIN CERTIFICATE-----…'; '' where there is none
//   { apiVersion: 'v1', kind: 'Secret', metadata, data: encodedTexts({ username: 'admin', password }) }
import { valueAt } from '../json/fields.ts'
import type { KubeObject } from './object.ts'

/** The text of one key; empty where the Secret, or the key in it, is not there. */
export const secretText = (secret: KubeObject | undefined, key: string): string =>
  Buffer.from(String(valueAt(secret?.data, key) ?? ''), 'base64').toString()

/** As the data of a Secret, a caBundle and a kubeconfig hold it. */
export const encodedText = (text: string): string => Buffer.from(text).toString('base64')

export const encodedTexts = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encodedText(text)]))
