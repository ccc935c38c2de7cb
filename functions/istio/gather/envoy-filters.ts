// Reads users' EnvoyFilters that select the ingress gateway.
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { reading } from '../../../shared/kube/reading.ts'
import { envoyFilterKind } from '../desired/resources/resource-rows.ts'
import { isUsersForIngress } from '../rules/envoy-filters.ts'
import type { EnvoyFiltersFacts } from '../world.ts'
import type { ReaderInput } from './reader-input.ts'

export const readEnvoyFilters = async ({ context: { reads } }: ReaderInput): Promise<EnvoyFiltersFacts> => {
  const keep = (filter: KubeObject) => (isUsersForIngress(filter) ? named(filter) : undefined)
  const query = { ...envoyFilterKind, namespace: istioNames.namespaces.mesh, keep }
  return { forIngress: await reading(reads.list(query)) }
}

/** Keeps only the name, because a cluster may have thousands of EnvoyFilters and a message shows one name. */
const named = ({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
})
