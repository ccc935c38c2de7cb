// Reads the Secret and our webhook configurations, and parses the certificates.
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { KubeObject } from '../../shared/core/object.ts'
import { attempted, whenRead } from '../../shared/core/reading.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import { emptySecret, secretName } from './desired/secret.ts'
import type { Serving, TrustedAuthority, WebhookConfiguration, World } from './world.ts'

const managed = 'app.kubernetes.io/managed-by=espalier'
const admission = 'admissionregistration.k8s.io/v1'

export const gather = async (
  namespace: KubeObject,
  { reads }: { reads: Pick<Reads, 'get' | 'list'> },
): Promise<World> => {
  const ref = { namespace: namespace.metadata.name, name: secretName }
  const listed = (kind: string) => reads.list({ apiVersion: admission, kind, labelSelector: managed })
  const [stored, validating, mutating] = await Promise.all([
    reads.get({ apiVersion: 'v1', kind: 'Secret', ...ref }),
    listed('ValidatingWebhookConfiguration'),
    listed('MutatingWebhookConfiguration'),
  ])
  const configurations = [...validating, ...mutating] as WebhookConfiguration[]
  const names = namesOf(ref.namespace, configurations)
  const files = (stored?.data ?? {}) as Files
  return { ...certificatesIn(files, names), secret: stored ?? emptySecret(ref.namespace), names, configurations }
}

/** The names of our Services, and the hosts of configurations with a URL. */
const namesOf = (namespace: string, configurations: readonly WebhookConfiguration[]): string[] => {
  const urls = configurations.flatMap(({ webhooks = [] }) =>
    webhooks.flatMap(({ clientConfig }) => clientConfig.url ?? []),
  )
  const hosts = urls.map(url => new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return [...new Set([`*.${namespace}.svc`, `*.${namespace}.svc.cluster.local`, ...hosts])]
}

type Files = Readonly<Record<string, string>>

const certificatesIn = (files: Files, names: readonly string[]): Pick<World, 'authorities' | 'canSign' | 'serving'> => {
  const authorities = certificates(text(files['ca.crt']))
  const [first] = authorities
  const [serving] = certificates(text(files['tls.crt']))
  return {
    authorities: authorities.map(authority),
    canSign: first !== undefined && fits(first, text(files['ca.key'])),
    ...(serving && fits(serving, text(files['tls.key'])) && { serving: servingOf(serving, authorities, names) }),
  }
}

const servingOf = (
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  names: readonly string[],
): Serving => ({
  ...lifetime(certificate),
  names: names.filter(name => isGoodFor(certificate, name)),
  issuer: authorities.findIndex(one => certificate.checkIssued(one) && certificate.verify(one.publicKey)),
})

/** Wildcards are compared as text. */
const isGoodFor = (certificate: X509Certificate, name: string): boolean =>
  isIP(name) === 0
    ? (certificate.subjectAltName ?? '').split(', ').includes(`DNS:${name}`)
    : certificate.checkIP(name) !== undefined

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** A certificate that cannot be parsed counts as absent and is replaced. */
const certificates = (pem: string): X509Certificate[] =>
  (pem.match(pemBlock) ?? [])
    .map(block => attempted(() => new X509Certificate(block)))
    .flatMap(found => ('read' in found ? found.read : []))

const fits = (certificate: X509Certificate, keyPem: string): boolean =>
  whenRead(
    attempted(() => createPublicKey(createPrivateKey(keyPem))),
    key => key.equals(certificate.publicKey),
    () => false,
  )

const authority = (certificate: X509Certificate): TrustedAuthority => ({
  ...lifetime(certificate),
  pem: `${certificate.toString().trim()}\n`,
})

const lifetime = ({ validFromDate, validToDate }: X509Certificate) => ({ from: validFromDate, to: validToDate })
const text = (base64 = ''): string => Buffer.from(base64, 'base64').toString('utf8')
