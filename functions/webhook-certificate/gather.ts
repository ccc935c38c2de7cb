// Reads the Secret and our webhook configurations, and parses the certificates.
import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { secretText } from '../../shared/core/objects/secret-text.ts'
import { certificatesIn, hasIssued, hasKey, lifetimeOf, tlsCertificate } from '../../shared/core/tls/certificate.ts'
import { trustedAuthority } from '../../shared/core/tls/renewal.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import { emptySecret, secretName } from './desired/secret.ts'
import type { Serving, WebhookConfiguration, World } from './world.ts'

/** The label managed-by cannot be used, because Helm sets it to its own name on all installed objects. */
const ours = 'app.kubernetes.io/part-of=espalier'
const admission = 'admissionregistration.k8s.io/v1'

export const gather = async (
  namespace: KubeObject,
  { reads }: { reads: Pick<Reads, 'get' | 'list'> },
): Promise<World> => {
  const ref = { namespace: namespace.metadata.name, name: secretName }
  const listed = (kind: string) => reads.list({ apiVersion: admission, kind, labelSelector: ours })
  const [stored, validating, mutating] = await Promise.all([
    reads.get({ apiVersion: 'v1', kind: 'Secret', ...ref }),
    listed('ValidatingWebhookConfiguration'),
    listed('MutatingWebhookConfiguration'),
  ])
  const configurations = [...validating, ...mutating] as WebhookConfiguration[]
  const names = namesOf(ref.namespace, configurations)
  return { ...parsed(stored, names), secret: stored ?? emptySecret(ref.namespace), names, configurations }
}

/** The names of our Services, and the hosts of configurations with a URL. */
const namesOf = (namespace: string, configurations: readonly WebhookConfiguration[]): string[] => {
  const urls = configurations.flatMap(({ webhooks = [] }) =>
    webhooks.flatMap(({ clientConfig }) => clientConfig.url ?? []),
  )
  const hosts = urls.map(url => new URL(url).hostname.replace(/^\[|\]$/g, ''))
  return [...new Set([`*.${namespace}.svc`, `*.${namespace}.svc.cluster.local`, ...hosts])]
}

type Parsed = Pick<World, 'authorities' | 'canSign' | 'serving'>

const parsed = (secret: KubeObject | undefined, names: readonly string[]): Parsed => {
  const authorities = certificatesIn(secretText(secret, 'ca.crt'))
  const [first] = authorities
  const serving = tlsCertificate(secret)
  return {
    authorities: authorities.map(trustedAuthority),
    canSign: first !== undefined && hasKey(first, secretText(secret, 'ca.key')),
    ...(serving && { serving: servingOf(serving, authorities, names) }),
  }
}

const servingOf = (
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  names: readonly string[],
): Serving => ({
  ...lifetimeOf(certificate),
  names: names.filter(name => isGoodFor(certificate, name)),
  issuer: authorities.findIndex(one => hasIssued(one, certificate)),
})

/** Wildcards are compared as plain text. */
const isGoodFor = (certificate: X509Certificate, name: string): boolean =>
  isIP(name) === 0
    ? (certificate.subjectAltName ?? '').split(', ').includes(`DNS:${name}`)
    : certificate.checkIP(name) !== undefined
