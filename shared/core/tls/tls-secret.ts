// Reads Secrets of type kubernetes.io/tls.

import type { X509Certificate } from 'node:crypto'
import type { KubeObject } from '../objects/object.ts'
import { secretText } from '../objects/secret-text.ts'
import { certificatesIn, hasKey } from './certificate.ts'

/** The server certificate of a Secret of type kubernetes.io/tls; undefined when it is missing or its key does not fit. */
export const tlsCertificate = (secret: KubeObject | undefined): X509Certificate | undefined => {
  const [certificate] = certificatesIn(secretText(secret, 'tls.crt'))
  return certificate && hasKey(certificate, secretText(secret, 'tls.key')) ? certificate : undefined
}
