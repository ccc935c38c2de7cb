// Reads Deployment istiod, which tells whose the mesh is, and its version.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { OwnershipFacts } from '../world.ts'
import type { ReaderInput } from './reader-input.ts'

export const readOwnership = async ({ context }: ReaderInput): Promise<OwnershipFacts> => {
  const namespace = istioNames.namespaces.mesh
  return { istiod: await context.reads.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'istiod' }) }
}
