// Client certificates of runtimes and proxies: reads forwarded ones, and checks certificates against the currently trusted CAs for each
// request, so that an expired or no longer trusted certificate also ends open connections and resumed sessions.
import type { X509Certificate } from 'node:crypto'
import { checks } from '../core/decisions/checks.ts'
import { remembered } from '../core/memory/remembered.ts'
import { hasIssued } from '../core/tls/certificate.ts'

type Judging = {
  readonly authorities: readonly X509Certificate[]
  readonly now: Date
}

/** The reason why a certificate is refused. undefined: it is accepted. A trusted CA must have signed it directly, without intermediates. */
export const clientCertificateFault = checks<[X509Certificate, Judging], string>(
  (certificate, { now }) => now < certificate.validFromDate && 'the client certificate is not valid yet',
  (certificate, { now }) => now > certificate.validToDate && 'the client certificate has expired',
  certificate => !isForClients(certificate) && 'the certificate is not a client certificate',
  (certificate, { authorities, now }) =>
    !authorities.some(authority => isAuthority(authority, now) && isIssuedBy(authority, certificate)) &&
    'the client certificate is signed by an untrusted certificate authority',
)

/** The issuer of a certificate never changes, so it is cached. Whether the issuer is trusted is checked for each request. */
const issuers = new WeakMap<X509Certificate, X509Certificate>()

const isIssuedBy = (authority: X509Certificate, certificate: X509Certificate): boolean => {
  if (issuers.get(certificate) === authority) return true
  const isIssuer = hasIssued(authority, certificate)
  if (isIssuer) issuers.set(certificate, authority)
  return isIssuer
}

const clientAuthentication = '1.3.6.1.5.5.7.3.2'

const isForClients = ({ ca, keyUsage }: X509Certificate): boolean =>
  !ca && (keyUsage === undefined || keyUsage.includes(clientAuthentication))

const isAuthority = ({ ca, validFromDate, validToDate }: X509Certificate, now: Date): boolean =>
  ca && validFromDate <= now && now <= validToDate

/** The common name. '' if there is none, undefined if there are several. */
export const commonNameOf = remembered((certificate: X509Certificate): string | undefined => {
  const { subject } = certificate.toLegacyObject()
  const name: unknown = subject?.CN ?? ''
  return typeof name === 'string' ? name : undefined
})

export const hasUri = ({ subjectAltName = '' }: X509Certificate, uris: readonly string[]): boolean =>
  // Node puts names with a comma in quotes, so that one name cannot look like two.
  subjectAltName.split(', ').some(name => uris.some(uri => name === `URI:${uri}`))

/** PEM of the last element; undefined when it is missing or the header is invalid. */
export const forwardedPem = (header: string): string | undefined => {
  const value = pairsOf(lastElement(header)).find(([key]) => key.toLowerCase() === 'cert')?.[1]
  return value === undefined ? undefined : decoded(value)
}

/**
 * Reads from the end, because earlier text must not change the meaning: `Cert=…;x="` would include the next element in its quotes. Empty if
 * no element ends there.
 */
const lastElement = (header: string): string => {
  let isQuoted = false
  for (let at = header.length - 1; at >= 0; at--) {
    if (isQuote(header, at)) isQuoted = !isQuoted
    else if (header[at] === ',' && !isQuoted) return header.slice(at + 1)
  }
  return isQuoted ? '' : header
}

/** A backslash escapes a quote or another backslash. */
const isQuote = (text: string, at: number): boolean => {
  if (text[at] !== '"') return false
  let before = at
  while (text[before - 1] === '\\') before--
  return (at - before) % 2 === 0
}

const pairsOf = (element: string): [string, string][] =>
  splitOutsideQuotes(element).map(pair => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at).trim(), unquoted(pair.slice(at + 1).trim())]
  })

const splitOutsideQuotes = (text: string): string[] => {
  const parts: string[] = []
  let [begin, isQuoted] = [0, false]
  for (let at = 0; at < text.length; at++) {
    if (isQuote(text, at)) isQuoted = !isQuoted
    else if (text[at] === ';' && !isQuoted) {
      parts.push(text.slice(begin, at))
      begin = at + 1
    }
  }
  return [...parts, text.slice(begin)]
}

const unquoted = (value: string): string =>
  /^"(?<inner>.*)"$/s.exec(value)?.groups?.inner?.replaceAll('\\"', '"') ?? value

const decoded = (value: string): string | undefined => {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
