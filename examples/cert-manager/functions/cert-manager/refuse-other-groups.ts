// Objects of a spec are applied under the account of the operator: people get no rights through it, other than to issue certificates.
import type { Hook, KubeObject } from 'espalier'
import type { CertManagerSpec } from '../../kinds/cert-manager.ts'

export const refuseOtherGroups: Hook = async (_context, _client, { spec }) => {
  const { additionalResources = [] } = (spec ?? {}) as CertManagerSpec
  const other = (additionalResources as KubeObject[]).find(one => !one.apiVersion.startsWith('cert-manager.io/'))
  if (other)
    throw new Error(
      `additionalResources has a ${other.kind} of ${other.apiVersion}: only kinds of cert-manager.io are applied`,
    )
}
