// Reads the certificate of the agent and its Secret, which the deletion of the Kyma takes away.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { isDeleting, type Key, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { getIfServed } from '../../../shared/kube/reading.ts'
import { certificateNamespace, isForRuntimes, runtimeCertificateName } from '../../../shared/kyma/certificates.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'

const kinds = [
  { apiVersion: 'cert-manager.io/v1', kind: 'Certificate' },
  { apiVersion: 'cert.gardener.cloud/v1alpha1', kind: 'Certificate' },
  { apiVersion: 'v1', kind: 'Secret' },
]

/** Nothing while the Kyma lives. */
export const gatherCertificates = async (kyma: Kyma, reads: Reads): Promise<readonly KubeObject[]> =>
  isDeleting(kyma) ? certificatesOf(kyma.metadata.name, reads) : []

/** Those that a Kyma left behind which was gone before they were. */
export const leftBehind = async ({ namespace, name }: Key, { reads }: { reads: Reads }): Promise<readonly Step[]> =>
  namespace === kymaNames.namespaces.controlPlane
    ? (await certificatesOf(name, reads)).map(target => ({ do: 'delete', target }))
    : []

const certificatesOf = async (kyma: string, reads: Reads): Promise<readonly KubeObject[]> => {
  const ref = { namespace: certificateNamespace, name: runtimeCertificateName(kyma) }
  const found = await Promise.all(kinds.map(kind => getIfServed(reads, { ...kind, ...ref })))
  return found.flatMap(object => (object && isForRuntimes(object) ? object : []))
}
