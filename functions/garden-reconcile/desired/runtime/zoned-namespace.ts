// Namespaces of the runtime cluster in which the resource manager spreads Pods over zones.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { ownershipLabel, prefixes, role } from '../parts/names.ts'

type ZonedNamespace = {
  readonly name: string
  /** The value of label gardener.cloud/role. */
  readonly role: string
  readonly podSecurity: 'privileged' | 'baseline'
  readonly labels?: Readonly<Record<string, string>>
}

export const zonedNamespace = ({ garden }: World, wanted: ZonedNamespace): KubeObject => {
  const { zones = [] } = garden.spec.runtimeCluster.provider
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: wanted.name,
      labels: {
        ...role(wanted.role),
        'pod-security.kubernetes.io/enforce': wanted.podSecurity,
        ...wanted.labels,
        [`${prefixes.highAvailability}/consider`]: 'true',
        ...ownershipLabel,
      },
      ...(zones.length > 0 && { annotations: { [`${prefixes.highAvailability}/zones`]: zones.join() } }),
    },
  }
}

/** The namespace of a mesh, in which no Pod gets a sidecar. */
export const zonedMeshNamespace = (world: World, name: string, role: 'istio-system' | 'istio-ingress'): KubeObject =>
  zonedNamespace(world, { name, role, podSecurity: 'baseline', labels: { 'istio-injection': 'disabled' } })
