// Spreads the Pods of a StatefulSet over nodes as far as possible, unless the Redis says otherwise.
import type { JsonMap, KubeObject } from 'espalier'

const usual = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }

type Spec = { selector: JsonMap; template: { spec: { topologySpreadConstraints?: readonly JsonMap[] } } }

export const spread = (object: KubeObject): KubeObject => {
  if (object.kind !== 'StatefulSet') return object
  const { selector, template } = object.spec as unknown as Spec
  const own = { labelSelector: selector, matchLabelKeys: ['controller-revision-hash'] }
  const given = template.spec.topologySpreadConstraints ?? [usual]
  const topologySpreadConstraints = given.map(one => ('labelSelector' in one ? one : { ...own, ...one }))
  const spec = { ...template.spec, topologySpreadConstraints }
  return { ...object, spec: { ...(object.spec as JsonMap), template: { ...template, spec } } }
}
