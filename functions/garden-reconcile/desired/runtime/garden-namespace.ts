// The namespace of all that a Garden has in its runtime cluster.
import type { KubeObject } from '../../../../shared/core/object.ts'
import type { World } from '../../world.ts'
import { namespace, ownershipLabel, prefixes, role } from '../parts/names.ts'

/** Its zones tell the resource manager over which ones Pods are spread. */
export const gardenNamespaceObject = ({ garden }: World): KubeObject => {
  const { zones = [] } = garden.spec.runtimeCluster.provider
  return {
    ...{ apiVersion: 'v1', kind: 'Namespace' },
    metadata: {
      name: namespace,
      labels: {
        ...{ ...role('garden'), 'pod-security.kubernetes.io/enforce': 'privileged' },
        ...{ [`${prefixes.highAvailability}/consider`]: 'true', ...ownershipLabel },
      },
      ...(zones.length > 0 && { annotations: { [`${prefixes.highAvailability}/zones`]: zones.join() } }),
    },
  }
}
