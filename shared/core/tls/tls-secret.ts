// What a Secret of type kubernetes.io/tls holds.
import type { X509Certificate } from 'node:crypto'
import type { KubeObject } from '../objects/object.ts'
import { secretText } from '../objects/secret-text.ts'
import { certificatesIn, hasKey } from './certificate.ts'

/** The certificate that a server shows with it; undefined: there is none, or its key does not fit. */
export const tlsCertificate = (secret: KubeObject | undefined): X509Certificate | undefined => {
  const [certificate] = certificatesIn(secretText(secret, 'tls.crt'))
  return certificate && hasKey(certificate, secretText(secret, 'tls.key')) ? certificate : undefined
}
