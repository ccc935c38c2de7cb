// Reads the certificate of the agent and its Secret, which the deletion of the Kyma removes.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import { isDeleting, type Key, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { getIfServed } from '../../../shared/kube/reading.ts'
import {
  certificateRefs,
  isForRuntimes,
  runtimeCertificateName,
  secretOfCertificates,
} from '../../../shared/kyma/certificates.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'

export const gatherCertificates = async (kyma: Kyma, reads: Reads): Promise<readonly KubeObject[]> =>
  isDeleting(kyma) ? certificatesOf(kyma.metadata.name, reads) : []

/** Deletes the certificates of a Kyma that no longer exists. */
export const leftBehind = async ({ namespace, name }: Key, { reads }: { reads: Reads }): Promise<readonly Step[]> =>
  namespace === kymaNames.namespaces.controlPlane
    ? (await certificatesOf(name, reads)).map(target => ({ do: 'delete', target }))
    : []

const certificatesOf = async (kyma: string, reads: Reads): Promise<readonly KubeObject[]> => {
  const refs = [...certificateRefs(kyma), secretOfCertificates(runtimeCertificateName(kyma))]
  const found = await Promise.all(refs.map(ref => getIfServed(reads, ref)))
  return found.flatMap(object => (object && isForRuntimes(object) ? object : []))
}
