// What the features of the cluster's ConfigMap change in the IstioOperator.
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isMap } from '../../../../shared/core/json/json.ts'
import type { Features } from '../../rules/features.ts'
import { type Edit, setAt } from './edit.ts'

/** No edits if all features are off. */
export const featureEdits = ({ isCniDisabled, hasControlPlaneVpa }: Features): readonly Edit[] => [
  ...(isCniDisabled ? [setAt('components.cni.enabled', false)] : []),
  ...(hasControlPlaneVpa ? scaled.flatMap(withoutMemory) : []),
]

/** Components with a HorizontalPodAutoscaler, and the path of the values that its chart makes one of. */
const scaled = [
  { component: 'pilot', root: 'pilot' },
  { component: 'ingressGateways.0', root: 'gateways.istio-ingressgateway' },
  { component: 'egressGateways.0', root: 'gateways.istio-egressgateway' },
]

/** Scales by CPU alone: scaling by memory, too, would work against the VerticalPodAutoscaler. */
const withoutMemory = ({ component, root }: (typeof scaled)[number]): Edit[] => [
  {
    at: `components.${component}.k8s.hpaSpec.metrics`,
    becomes: before => (Array.isArray(before) ? before.filter(metric => !isOfMemory(metric)) : before),
  },
  { at: `values.${root}.memory`, becomes: before => (isMap(before) ? {} : before) },
]

const isOfMemory = (metric: unknown): boolean =>
  isMap(metric) && ['resource', 'containerResource'].some(source => valueAt(metric, source, 'name') === 'memory')
