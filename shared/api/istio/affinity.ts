// Affinity as in core/v1, its fields in the order in which Go writes them.
import {
  atomic,
  atomicList,
  fieldsInOrder,
  int32,
  labelSelector,
  object,
  options,
  type Schema,
  text,
} from '../schema.ts'

const requirement = object({ key: text, operator: text }, { values: atomicList(text) })

const nodeSelectorTerm = atomic(
  options({ matchExpressions: atomicList(requirement), matchFields: atomicList(requirement) }),
)

const podAffinityTerm = fieldsInOrder(
  object(
    { topologyKey: text },
    {
      labelSelector,
      namespaces: atomicList(text),
      namespaceSelector: labelSelector,
      matchLabelKeys: atomicList(text),
      mismatchLabelKeys: atomicList(text),
    },
  ),
  'labelSelector',
  'namespaces',
  'topologyKey',
)

const scheduling = <Required, Preferred>(required: Schema<Required>, preferred: Schema<Preferred>) =>
  options({
    requiredDuringSchedulingIgnoredDuringExecution: required,
    preferredDuringSchedulingIgnoredDuringExecution: atomicList(preferred),
  })

const podAffinity = scheduling(atomicList(podAffinityTerm), object({ weight: int32, podAffinityTerm }))

export const affinity = options({
  nodeAffinity: scheduling(
    atomic(object({ nodeSelectorTerms: atomicList(nodeSelectorTerm) })),
    object({ weight: int32, preference: nodeSelectorTerm }),
  ),
  podAffinity,
  podAntiAffinity: podAffinity,
})
