// Pods of the mesh accept mTLS only, unless a user's PeerAuthentication says otherwise for a namespace.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { resourceMetadata } from './resource-metadata.ts'
import type { ResourceRow } from './resource-row.ts'

const ref = {
  apiVersion: 'security.istio.io/v1',
  kind: 'PeerAuthentication',
  namespace: istioNames.namespaces.mesh,
  name: 'default',
} as const

export const peerAuthentication: ResourceRow = {
  ref,
  when: () => true,
  object: facts => ({
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: resourceMetadata(ref, facts),
    spec: { mtls: { mode: 'STRICT' } },
  }),
}
