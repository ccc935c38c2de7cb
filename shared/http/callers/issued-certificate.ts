// Judges the certificates of runtimes, and of proxies that speak for them, with the authorities we trust at this moment. TLS has
// proved that whoever connects has the key of its certificate; everything else about a certificate is checked here, at each
// request. So an open connection or a resumed session is refused as soon as its certificate has expired or its authority is not trusted.
import type { X509Certificate } from 'node:crypto'
import { checks } from '../../core/decisions/checks.ts'
import { hasIssued } from '../../core/tls/certificate.ts'

type Judging = {
  readonly authorities: readonly X509Certificate[]
  readonly now: Date
}

/** Why the certificate is not accepted; undefined when it is. A trusted authority must have signed it itself: there are no intermediate ones. */
export const clientCertificateFault = checks<[X509Certificate, Judging], string>(
  (certificate, { now }) => now < certificate.validFromDate && 'the client certificate is not valid yet',
  (certificate, { now }) => now > certificate.validToDate && 'the client certificate has expired',
  certificate => !isForClients(certificate) && 'the certificate is not for clients',
  (certificate, { authorities, now }) =>
    !authorities.some(authority => isAuthority(authority, now) && isIssuedBy(authority, certificate)) &&
    'the client certificate comes from an authority that is not trusted here',
)

/** The authority that signed a certificate. It never changes, so it is kept; whether it is still trusted is asked at each request. */
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

/** The common name; '' when there is none, undefined when there are several. */
export const commonNameOf = (certificate: X509Certificate): string | undefined => {
  const { name } = names.get(certificate) ?? { name: readName(certificate) }
  names.set(certificate, { name })
  return name
}

const names = new WeakMap<X509Certificate, { readonly name: string | undefined }>()

const readName = (certificate: X509Certificate): string | undefined => {
  const { subject } = certificate.toLegacyObject()
  const name: unknown = subject?.CN ?? ''
  return typeof name === 'string' ? name : undefined
}

export const hasUri = ({ subjectAltName = '' }: X509Certificate, uris: readonly string[]): boolean =>
  // Node puts a name that holds a comma in quotes, so that one name cannot look like two.
  subjectAltName.split(', ').some(name => uris.some(uri => name === `URI:${uri}`))
