// Reads certificates from PEM, and checks their issuer, key and host names.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { attempted, whenRead } from '../decisions/reading.ts'
import { BoundedCache } from '../memory/bounded-cache.ts'
import { remembered } from '../memory/remembered.ts'
import { parseAddress } from '../network/cidr.ts'
import type { KubeObject } from '../objects/object.ts'
import { secretText } from '../objects/secret-text.ts'

export type Lifetime = { readonly from: Date; readonly to: Date }

/** All certificates in the text. Unreadable blocks are skipped. */
export const certificatesIn = (pem: string): readonly X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).flatMap(block => {
    const certificate = known.get(block) ?? read(block)
    if (certificate) known.set(block, certificate)
    return certificate ?? []
  })

/** Certificates by their PEM. Parsing takes 0.2 ms, and each call needs the same dozens of certificates. */
const known = new BoundedCache<string, X509Certificate>(500)

const read = (pem: string): X509Certificate | undefined =>
  whenRead(
    attempted(() => new X509Certificate(pem)),
    certificate => certificate,
    () => undefined,
  )

export const lifetimeOf = ({ validFromDate, validToDate }: X509Certificate): Lifetime => ({
  from: validFromDate,
  to: validToDate,
})

/** PEM with a newline at the end, so that PEMs can be joined. */
export const pemOf = (certificate: X509Certificate): string => `${certificate.toString().trim()}\n`

export const hasIssued = (authority: X509Certificate, certificate: X509Certificate): boolean =>
  isIssuedBy(certificate, authority)

const isIssuedBy = remembered(
  (certificate: X509Certificate, authority: X509Certificate): boolean =>
    certificate.checkIssued(authority) && certificate.verify(authority.publicKey),
)

export const hasKey = remembered((certificate: X509Certificate, keyPem: string): boolean =>
  whenRead(
    attempted(() => createPrivateKey(keyPem)),
    key => certificate.checkPrivateKey(key),
    () => false,
  ),
)

/** Whether the certificate is valid for the host name or IP address. */
export const isGoodFor = (certificate: X509Certificate, name: string): boolean =>
  (parseAddress(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined

/** The server certificate of a Secret of type kubernetes.io/tls; undefined when it is missing or its key does not fit. */
export const tlsCertificate = (secret: KubeObject | undefined): X509Certificate | undefined => {
  const [certificate] = certificatesIn(secretText(secret, 'tls.crt'))
  return certificate && hasKey(certificate, secretText(secret, 'tls.key')) ? certificate : undefined
}
