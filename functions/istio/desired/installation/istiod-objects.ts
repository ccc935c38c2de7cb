// The objects that istiod creates for itself at run time. They get the module's label, which tells users that they belong to the module.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import type { KubeObject, ObjectRef } from '../../../../shared/core/objects/object.ts'

const { namespaces, labels, module } = istioNames

const ref = (kind: string, name: string): ObjectRef => ({ apiVersion: 'v1', kind, namespace: namespaces.mesh, name })

const configMaps = [
  'istio-leader',
  'istio-namespace-controller-election',
  'istio-ip-autoallocate',
  'istio-gateway-status-leader',
]

export const istiodObjects: readonly ObjectRef[] = [
  ...configMaps.map(name => ref('ConfigMap', name)),
  ref('Secret', 'istio-ca-secret'),
]

/** Adds the label to objects that lack it. */
export const moduleLabelSteps = (found: readonly KubeObject[]): Step[] =>
  found
    .filter(({ metadata }) => metadata.labels?.[labels.module] !== module)
    .map(target => ({ do: 'patch', target, merge: { metadata: { labels: { [labels.module]: module } } } }))
