// The certificates with which runtimes and the control plane authenticate each other, and their Secrets. All names are names of the Go operator.
import { kymaNames } from '../api/kyma/names.ts'
import { mapOrEmpty } from '../core/json/json.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../core/objects/object.ts'

/** Which program creates the certificates: an operator that is installed in addition to Espalier, or Espalier itself (`builtin`). */
export type CertificateProvider = CertificateOperator | 'builtin'

type CertificateOperator = 'cert-manager' | 'gardener'

export const certificateNamespace = kymaNames.namespaces.certificates

/** The Secret of the CA of runtimes. The CA's key is in `ca.key` if Espalier created the CA, and in `tls.key` if an operator created it. */
export const rootSecretName = 'klm-watcher'

/** The Secret that the listener for runtimes uses. It contains the listener's certificate, and in `ca.crt` all trusted CAs. */
export const gatewaySecretName = 'klm-istio-gateway'

/** The name of both the Certificate of a Kyma's runtime and its Secret. */
export const runtimeCertificateName = (kyma: string): string => `${kyma}-webhook-tls`

/** The value of label `purpose` on the Certificate of a Kyma's runtime and on its Secret. */
export const certificatePurpose = 'klm-watcher-cert-manager'

/**
 * Whether a Secret or Certificate belongs to a runtime. The name is no proof, because names of other programs' Secrets in this namespace may
 * have the same ending. A Certificate of the Go operator has no labels itself, only labels for its Secret, so these labels count as well.
 */
export const isForRuntimes = ({ metadata, spec }: KubeObject): boolean => {
  const { secretTemplate, secretLabels } = mapOrEmpty(spec)
  const ofSecret = [mapOrEmpty(secretTemplate).labels, secretLabels]
  return [metadata.labels, ...ofSecret].some(
    labels => mapOrEmpty(labels)[kymaNames.labels.purpose] === certificatePurpose,
  )
}

/** Why we may not use the Secret or Certificate with this name. undefined: it is ours or does not exist. */
export const certificateTaken = (object: KubeObject | undefined): string | undefined =>
  object?.metadata.uid === undefined || isForRuntimes(object)
    ? undefined
    : `${refText(refOf(object))} already exists and does not belong to this Kyma`

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

/** The CustomResourceDefinitions that show which operator is installed. */
export const certificateDefinitions: readonly string[] = operators.map(({ definition }) => definition)

/** The chosen provider. `auto` means the installed operator, otherwise `builtin`. */
export const certificateProvider = (
  chosen: CertificateProvider | 'auto',
  installed: readonly string[],
): CertificateProvider =>
  chosen === 'auto' ? (operators.find(({ definition }) => installed.includes(definition))?.is ?? 'builtin') : chosen

/** The Certificate object that orders the certificate of a Kyma's runtime from the operator. undefined for `builtin`. */
export const certificateAsked = (kyma: string, provider: CertificateProvider): ObjectRef | undefined => {
  const operator = operators.find(({ is }) => is === provider)
  return operator && certificateOf(kyma, operator)
}

/** The Certificate objects that may have ordered the certificate, one object per operator. */
export const certificateRefs = (kyma: string): readonly ObjectRef[] =>
  operators.map(operator => certificateOf(kyma, operator))

const certificateOf = (kyma: string, { apiVersion }: Operator): ObjectRef => ({
  ...secretOfCertificates(runtimeCertificateName(kyma)),
  apiVersion,
  kind: 'Certificate',
})
