// The credentials inside a kubeconfig that is data: are they what they claim to be? Nothing here quotes them.
import { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'

const base64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/

/** The PEM text in a field of base64; undefined when there is none. */
export const pemIn = (data: unknown): string | undefined => {
  if (typeof data !== 'string' || !base64.test(data)) return undefined
  const text = Buffer.from(data, 'base64').toString()
  return text.includes('-----BEGIN ') ? text : undefined
}

/** What goes into a header: visible characters only. */
export const tokenFault = (token: string): string | undefined =>
  /^[\x21-\x7e]+$/.test(token) ? undefined : 'is not a token'

export const certificateFault = (data: unknown): string | undefined => {
  if (data === undefined) return 'is missing'
  return succeeds(() => new X509Certificate(pemIn(data) ?? '')) ? undefined : 'is no certificate in base64'
}

/** Also for a key that does not belong to the certificate. */
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
    // What OpenSSL says of somebody else's key is not for logs.
    return false
  }
}
