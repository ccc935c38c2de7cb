// Reads the certificate of the agent and its Secret, which the deletion of the Kyma takes away.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { getIfServed } from '../../../shared/kube/reading.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'

const kinds = [
  { apiVersion: 'cert-manager.io/v1', kind: 'Certificate' },
  { apiVersion: 'cert.gardener.cloud/v1alpha1', kind: 'Certificate' },
  { apiVersion: 'v1', kind: 'Secret' },
]

/** Nothing while the Kyma lives. */
export const gatherCertificates = async (kyma: Kyma, reads: Reads): Promise<readonly KubeObject[]> => {
  if (!isDeleting(kyma)) return []
  const ref = { namespace: kymaNames.namespaces.certificates, name: `${kyma.metadata.name}-webhook-tls` }
  const found = await Promise.all(kinds.map(kind => getIfServed(reads, { ...kind, ...ref })))
  return found.flatMap(object => object ?? [])
}
