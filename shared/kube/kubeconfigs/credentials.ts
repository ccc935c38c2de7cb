// Checks the credentials in a kubeconfig from a Secret: tokens, certificates and keys. No message quotes them.
import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'

const base64 = /^[A-Za-z0-9+/\s]+={0,2}$/

/** The PEM text in a field of base64; undefined when there is none. */
export const pemIn = (data: unknown): string | undefined => {
  if (typeof data !== 'string' || !base64.test(data.trimEnd())) return undefined
  const text = Buffer.from(data, 'base64').toString()
  return text.includes('-----BEGIN ') ? text : undefined
}

/** A token goes into a header, so it may hold visible characters only. */
export const tokenFault = (token: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(token) ? undefined : 'is not a token'

export const certificateFault = (data: unknown): string | undefined => {
  if (data === undefined) return 'is missing'
  return succeeds(() => new X509Certificate(pemIn(data) ?? '')) ? undefined : 'is no certificate in base64'
}

/** Why a client certificate and its key cannot be used, for example because they do not belong together. */
export const keyPairFault = (certificate: unknown, key: unknown): string | undefined => {
  if (key === undefined) return 'is missing'
  const [cert, pem] = [pemIn(certificate), pemIn(key)]
  if (!cert || !pem) return 'is no key in base64'
  return succeeds(() => createSecureContext({ cert, key: pem }))
    ? undefined
    : 'is not the key of the client certificate'
}

const succeeds = (attempt: () => unknown): boolean => {
  try {
    attempt()
    return true
  } catch {
    // OpenSSL's message about the key is not told, since logs would keep it.
    return false
  }
}
