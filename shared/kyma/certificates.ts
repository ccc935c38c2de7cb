// The certificates by which runtimes and the control plane know each other, and the Secrets they lie in. The names are those of the
// Go operator.
import { kymaNames } from '../api/kyma/names.ts'
import { mapOrEmpty } from '../core/json/json.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../core/objects/object.ts'

/** Where they come from: an operator that is installed beside us, or ourselves. */
export type CertificateProvider = CertificateOperator | 'builtin'

type CertificateOperator = 'cert-manager' | 'gardener'

export const certificateNamespace = kymaNames.namespaces.certificates

/** The authority of runtimes, with its key. Another provider than ourselves keeps it under tls.crt and tls.key. */
export const rootSecretName = 'klm-watcher'

/** What the listener for runtimes uses: its certificate, and in ca.crt every authority that is still trusted. */
export const gatewaySecretName = 'klm-istio-gateway'

/** Of the Certificate of a Kyma's runtime, and of its Secret. */
export const runtimeCertificateName = (kyma: string): string => `${kyma}-webhook-tls`

/** The value of the label `purpose` on both. */
export const certificatePurpose = 'klm-watcher-cert-manager'

/**
 * Other programs keep Secrets in that namespace too, and any name may end so. A Certificate that the Go operator made has no labels: it names
 * the labels of its Secret only.
 */
export const isForRuntimes = ({ metadata, spec }: KubeObject): boolean => {
  const { secretTemplate, secretLabels } = mapOrEmpty(spec)
  const ofSecret = [mapOrEmpty(secretTemplate).labels, secretLabels]
  return [metadata.labels, ...ofSecret].some(
    labels => mapOrEmpty(labels)[kymaNames.labels.purpose] === certificatePurpose,
  )
}

/** Why the Secret of a runtime's certificate, or its Certificate, can neither be written nor read; undefined: it is ours, or not there. */
export const certificateTaken = (object: KubeObject | undefined): string | undefined =>
  object?.metadata.uid === undefined || isForRuntimes(object)
    ? undefined
    : `${refText(refOf(object))} is in the way: it was not made for this Kyma`

export const secretOfCertificates = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: certificateNamespace,
  name,
})

type Operator = { readonly is: CertificateOperator; readonly definition: string; readonly apiVersion: string }

const operators: readonly Operator[] = [
  { is: 'cert-manager', definition: 'certificates.cert-manager.io', apiVersion: 'cert-manager.io/v1' },
  { is: 'gardener', definition: 'certificates.cert.gardener.cloud', apiVersion: 'cert.gardener.cloud/v1alpha1' },
]

/** The definitions that tell which operator is installed. */
export const certificateDefinitions: readonly string[] = operators.map(({ definition }) => definition)

/** The one that was chosen; with `auto` the operator that is installed, else ourselves. */
export const certificateProvider = (
  chosen: CertificateProvider | 'auto',
  installed: readonly string[],
): CertificateProvider =>
  chosen === 'auto' ? (operators.find(({ definition }) => installed.includes(definition))?.is ?? 'builtin') : chosen

/** The Certificate by which the operator is asked for that of a Kyma's runtime; undefined: we make it ourselves. */
export const certificateAsked = (kyma: string, provider: CertificateProvider): ObjectRef | undefined => {
  const operator = operators.find(({ is }) => is === provider)
  return operator && certificateOf(kyma, operator)
}

/** The Certificates by which any operator may have been asked. */
export const certificateRefs = (kyma: string): readonly ObjectRef[] =>
  operators.map(operator => certificateOf(kyma, operator))

const certificateOf = (kyma: string, { apiVersion }: Operator): ObjectRef => ({
  ...secretOfCertificates(runtimeCertificateName(kyma)),
  apiVersion,
  kind: 'Certificate',
})
