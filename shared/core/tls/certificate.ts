// Certificates as PEM holds them: when they are valid, who issued them, what they are good for.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { attempted, whenRead } from '../decisions/reading.ts'
import { BoundedCache } from '../memory/bounded-cache.ts'
import { remembered } from '../memory/remembered.ts'
import { parseAddress } from '../network/cidr.ts'

export type Lifetime = { readonly from: Date; readonly to: Date }

/** Every certificate in the text; what cannot be read is left out. */
export const certificatesIn = (pem: string): readonly X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).flatMap(block => {
    const certificate = known.get(block) ?? read(block)
    if (certificate) known.set(block, certificate)
    return certificate ?? []
  })

/** By their PEM: to read one takes a fifth of a millisecond, and each call looks at the same dozens. */
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

/** One certificate, with the line end that lets it stand before another. */
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

/** Whether a server with this certificate may bear the name or IP address. */
export const isGoodFor = (certificate: X509Certificate, name: string): boolean =>
  (parseAddress(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined
