// Which autoscaler objects a runtime cluster gets: VerticalPodAutoscalers, or by a feature gate Hvpas instead of them.
import { type JsonMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { hasGate } from './switches.ts'

export const autoscaled = (world: World, objects: readonly KubeObject[]): readonly KubeObject[] =>
  hasGate(world, 'HVPA')
    ? objects.map(object => (object.kind === 'VerticalPodAutoscaler' ? hvpaFor(object) : object))
    : objects

/** It scales as the VerticalPodAutoscaler would; replicas stay. */
const hvpaFor = ({ metadata, spec }: KubeObject): KubeObject => {
  const { targetRef, updatePolicy, resourcePolicy } = mapOrEmpty(spec)
  const name = metadata.name.replace(/-vpa$/, '')
  const labels = { role: `${name}-vpa` }
  const { updateMode } = mapOrEmpty(updatePolicy)
  return {
    apiVersion: 'autoscaling.k8s.io/v1alpha1',
    kind: 'Hvpa',
    metadata: { ...metadata, name },
    spec: {
      replicas: 1,
      targetRef,
      hpa: { deploy: false, selector: { matchLabels: { role: `${name}-hpa` } }, template: {} },
      vpa: {
        deploy: true,
        selector: { matchLabels: labels },
        scaleUp: scaling(updateMode),
        scaleDown: scaling(updateMode),
        template: { metadata: { labels }, spec: { resourcePolicy } },
      },
    },
  }
}

const scaling = (updateMode: unknown): JsonMap => ({ updatePolicy: { updateMode }, stabilizationDuration: '10m' })
