// The namespace of all that a Garden has in its runtime cluster.
import type { KubeObject } from '../../../../shared/core/object.ts'
import type { World } from '../../world.ts'
import { namespace, ownershipLabel, prefixes, role } from '../parts/names.ts'
import { zonesAnnotation } from './zones.ts'

export const gardenNamespaceObject = (world: World): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Namespace' },
  metadata: {
    name: namespace,
    labels: {
      ...{ ...role('garden'), 'pod-security.kubernetes.io/enforce': 'privileged' },
      ...{ [`${prefixes.highAvailability}/consider`]: 'true', ...ownershipLabel },
    },
    ...zonesAnnotation(world),
  },
})
