// The cluster's certificate authority. A P-256 key signs the serving certificate and client certificates; kubeconfigs contain both. Uses
// node:crypto only, because a start must take far less than 300 ms.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto'
import { stringify } from 'yaml'
import { type CertificateParts, certificatePem, signerOf, withAddresses } from '../../core/tls/x509.ts'

export type Credentials = { cert: string; key: string }

export type Subject = { commonName: string; organizations?: readonly string[] }

export type Authority = {
  readonly caCert: string
  readonly caData: string
  serving(hosts: readonly string[]): Credentials
  client(subject: Subject, days?: number): Credentials
  /** Signs a certificate for the public key in `spki` (DER). */
  sign(spki: Uint8Array, subject: Subject, days: number): string
  readonly saved: Credentials
}

const yearDays = 365

type Content = Pick<CertificateParts, 'subject' | 'usages' | 'purposes' | 'names' | 'authority' | 'issuer' | 'key'>

export const authority = (saved?: Credentials): Authority => {
  const caKey = saved ? createPrivateKey(saved.key) : newKey()
  const signer = signerOf(caKey)
  const certificate = (content: Content, days: number): string => {
    const now = Date.now()
    const validity = { notBefore: new Date(now - 3_600_000), notAfter: new Date(now + days * 86_400_000) }
    return certificatePem({ ...content, ...validity, serial: randomBytes(16), signer })
  }
  const ca = {
    subject: [['CN', 'embedded-ca']],
    usages: ['keyCertSign', 'cRLSign'],
    authority: {},
    key: caKey,
  } as const
  const caCert = saved?.cert ?? certificate(ca, 10 * yearDays)
  const issuer = new X509Certificate(caCert)
  const leaf = { issuer, usages: ['digitalSignature'] } as const
  const ofClient = (subject: Subject, key: KeyObject, days: number) =>
    certificate({ ...leaf, purposes: ['client'], subject: nameOf(subject), key }, days)
  return {
    caCert,
    caData: Buffer.from(caCert).toString('base64'),
    serving: hosts => {
      const key = newKey()
      const subject = nameOf({ commonName: 'kube-apiserver' })
      const content: Content = { ...leaf, purposes: ['server'], subject, names: withAddresses(hosts), key }
      return { key: pemOf(key), cert: certificate(content, yearDays) }
    },
    client: (subject, days = yearDays) => {
      const key = newKey()
      return { key: pemOf(key), cert: ofClient(subject, key, days) }
    },
    sign: (spki, subject, days) =>
      ofClient(subject, createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' }), days),
    saved: { cert: caCert, key: pemOf(caKey) },
  }
}

const newKey = (): KeyObject => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

const nameOf = ({ commonName, organizations = [] }: Subject): CertificateParts['subject'] => [
  ...organizations.map(organization => ['O', organization] as const),
  ['CN', commonName],
]

export type KubeconfigAccess = { token: string } | Credentials

export const kubeconfigText = (name: string, server: string, caData: string, access: KubeconfigAccess): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': caData } }],
    users: [{ name: `${name}-admin`, user: userOf(access) }],
    contexts: [{ name, context: { cluster: name, user: `${name}-admin` } }],
    'current-context': name,
  })

const userOf = (access: KubeconfigAccess): Record<string, string> =>
  'token' in access
    ? { token: access.token }
    : {
        'client-certificate-data': Buffer.from(access.cert).toString('base64'),
        'client-key-data': Buffer.from(access.key).toString('base64'),
      }
