// What scales the members of an etcd.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { namespace, ownershipLabel, virtualGarden } from '../parts/names.ts'

type Minimum = { readonly autoscaling?: { readonly minAllowed: Readonly<Record<string, string | number>> } }

const leastMemory = { main: '300M', events: '60M' } as const

/** The sidecar keeps the resources that it has. */
export const etcdAutoscaler = (role: 'main' | 'events', { autoscaling }: Minimum): KubeObject => {
  const name = virtualGarden(`etcd-${role}`)
  return {
    apiVersion: 'autoscaling.k8s.io/v1',
    kind: 'VerticalPodAutoscaler',
    metadata: { name: `${name}-vpa`, namespace, labels: ownershipLabel },
    spec: {
      targetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name },
      updatePolicy: { updateMode: 'Auto' },
      resourcePolicy: {
        containerPolicies: [
          {
            containerName: 'etcd',
            controlledValues: 'RequestsOnly',
            minAllowed: { memory: leastMemory[role], ...autoscaling?.minAllowed },
          },
          { containerName: 'backup-restore', mode: 'Off' },
        ],
      },
    },
  }
}
