// The Certificate object that orders a certificate from cert-manager or Gardener's cert-management.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { isSubdomain } from '../../../shared/core/objects/dns-name.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { certificateNamespace, certificatePurpose, runtimeCertificateName } from '../../../shared/kyma/certificates.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { domainOf, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import type { World } from '../world.ts'

export const purposeLabels = (kyma: Kyma) => ({
  [kymaNames.labels.purpose]: certificatePurpose,
  [kymaNames.labels.managedBy]: kymaNames.managedBy.controlPlane,
  [kymaNames.labels.kymaName]: kyma.metadata.name,
})

type Asking = Pick<World, 'furtherNames' | 'times' | 'issuer'> & { readonly operator: 'cert-manager' | 'gardener' }

export const certificate = (kyma: Kyma, { operator, furtherNames, times, issuer }: Asking): KubeObject => {
  const name = runtimeCertificateName(kyma.metadata.name)
  const labels = purposeLabels(kyma)
  const metadata = { namespace: certificateNamespace, name, labels }
  const [duration, renewBefore] = [times.duration, times.renewBefore].map(durationText)
  const asked = { commonName: runtimeNameIn(kyma), dnsNames: namesOf(kyma, furtherNames), duration, renewBefore }
  return operator === 'cert-manager'
    ? {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata,
        spec: {
          ...asked,
          secretName: name,
          secretTemplate: { labels },
          isCA: false,
          privateKey: { algorithm: 'RSA', size: 4096, rotationPolicy: 'Always' },
          usages: ['digital signature', 'key encipherment'],
          issuerRef: { group: 'cert-manager.io', kind: 'Issuer', name: issuer.name },
        },
      }
    : {
        apiVersion: 'cert.gardener.cloud/v1alpha1',
        kind: 'Certificate',
        metadata,
        spec: {
          ...asked,
          secretRef: { name, namespace: certificateNamespace },
          secretLabels: labels,
          privateKey: { algorithm: 'RSA', size: 4096 },
          issuerRef: { name: issuer.name, namespace: issuer.namespace },
        },
      }
}

/** A duration in Go's form: `1440h0m0s`. */
const durationText = (seconds: number): string =>
  `${Math.floor(seconds / 3_600)}h${Math.floor(seconds / 60) % 60}m${seconds % 60}s`

// The common name of a runtime in its certificate, and the names for connections to the runtime's agent.

/** The runtime-id, or the name of the Kyma if the Kyma has no runtime-id. */
export const runtimeNameIn = ({ metadata }: Kyma): string =>
  metadata.labels?.[kymaNames.labels.runtimeId] || metadata.name

/**
 * The domain of the runtime if it is known, further names, and the names of the agent's Service. Names that a certificate cannot have are omitted.
 */
export const namesOf = (kyma: Kyma, further: readonly string[]): readonly string[] => {
  const domain = domainOf(kyma)
  const service = `skr-webhook.${syncNamespace(kyma)}`
  return [
    ...(domain === undefined ? [] : [domain]),
    ...further,
    `${service}.svc.cluster.local`,
    `${service}.svc`,
    service,
  ].filter(isServerName)
}

/** Upper case, lower case, and wildcards such as `*.example.com` are allowed. */
const isServerName = (name: string): boolean => isSubdomain(name.replace(/^\*\./, '').toLowerCase())
