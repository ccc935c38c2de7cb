// Services through which clients outside reach a runtime cluster. The Garden's settings determine the load balancers. Annotations of other
// programs stay, because the Service is applied field by field.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { ownershipLabel } from '../parts/names.ts'

type Texts = Readonly<Record<string, string>>

type LoadBalancer = {
  readonly name: string
  readonly namespace: string
  readonly selector: Texts
  readonly annotations: Texts
  readonly ports: readonly JsonMap[]
  readonly spec?: JsonMap
}

export const loadBalancer = (
  { garden }: World,
  { name, namespace, selector, annotations, ports, spec }: LoadBalancer,
): KubeObject => {
  const settings = garden.spec.runtimeCluster.settings?.loadBalancerServices
  const { externalTrafficPolicy } = settings ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace,
      labels: { ...selector, ...ownershipLabel },
      annotations: { ...annotations, ...settings?.annotations },
    },
    spec: {
      type: 'LoadBalancer',
      selector,
      ports,
      ...(externalTrafficPolicy !== undefined && { externalTrafficPolicy }),
      ...spec,
    },
  }
}
