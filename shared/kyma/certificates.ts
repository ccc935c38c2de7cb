// The certificates by which runtimes and the control plane know each other, and the Secrets they lie in. The names are those of the
// Go operator.
import { kymaNames } from '../api/kyma/names.ts'
import { type KubeObject, keyOf, keyText } from '../core/objects/object.ts'

/** Where they come from: an operator that is installed beside us, or ourselves. */
export type CertificateProvider = 'cert-manager' | 'gardener' | 'builtin'

export const certificateNamespace = kymaNames.namespaces.certificates

/** The authority of runtimes, with its key. Another provider than ourselves keeps it under tls.crt and tls.key. */
export const rootSecretName = 'klm-watcher'

/** What the listener for runtimes uses: its certificate, and in ca.crt every authority that is still trusted. */
export const gatewaySecretName = 'klm-istio-gateway'

/** Of the Certificate of a Kyma's runtime, and of its Secret. */
export const runtimeCertificateName = (kyma: string): string => `${kyma}-webhook-tls`

/** The value of the label `purpose` on both. */
export const certificatePurpose = 'klm-watcher-cert-manager'

/** Other programs keep Secrets in that namespace too, and any name may end so. */
export const isForRuntimes = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[kymaNames.labels.purpose] === certificatePurpose

/** Why the Secret of a runtime's certificate can neither be written nor read; undefined: it is ours, or not there. */
export const secretTaken = (secret: KubeObject | undefined): string | undefined =>
  secret?.metadata.uid === undefined || isForRuntimes(secret)
    ? undefined
    : `Secret ${keyText(keyOf(secret))} is in the way: it was not made for this Kyma`

/** Where to find a Secret of certificates. */
export const secretOfCertificates = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: certificateNamespace,
  name,
})

/** By the name of its definition. */
const operators: readonly (readonly [definition: string, CertificateProvider])[] = [
  ['certificates.cert-manager.io', 'cert-manager'],
  ['certificates.cert.gardener.cloud', 'gardener'],
]

/** The definitions that tell which operator is installed. */
export const certificateDefinitions: readonly string[] = operators.map(([definition]) => definition)

/** The one that was chosen; with `auto` the operator that is installed, else ourselves. */
export const certificateProvider = (
  chosen: CertificateProvider | 'auto',
  installed: readonly string[],
): CertificateProvider =>
  chosen === 'auto' ? (operators.find(([definition]) => installed.includes(definition))?.[1] ?? 'builtin') : chosen
