// Reads the control plane that is there already.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { OwnershipFacts } from '../world.ts'
import type { Looking } from './looking.ts'

export const readOwnership = async ({ context: { reads } }: Looking): Promise<OwnershipFacts> => {
  const namespace = istioNames.namespaces.mesh
  return { istiod: await reads.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'istiod' }) }
}
