// Reads Deployment istiod as it was when the call began.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { OwnershipFacts } from '../world.ts'
import type { Looking } from './reader-input.ts'

export const readOwnership = async ({ lasting }: Looking): Promise<OwnershipFacts> => {
  const namespace = istioNames.namespaces.mesh
  return { istiod: await lasting.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'istiod' }) }
}
