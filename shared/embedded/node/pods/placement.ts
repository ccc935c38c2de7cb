// Whether a Pod may run on a node: its node selector, required node affinity, and the node's taints.
import type { KubeObject } from '../../../core/objects/object.ts'
import { matchesLabels, structuredSelector } from '../../storage/selectors.ts'
import { fieldsAt, type JsonMap, listAt, mapsAt, own } from '../../value.ts'

export const fits = (pod: KubeObject, node: KubeObject): boolean =>
  hasLabels(pod, node) && isLiked(pod, node) && isTolerated(pod, node)

const hasLabels = (pod: KubeObject, { metadata }: KubeObject): boolean =>
  Object.entries(fieldsAt(pod, 'spec', 'nodeSelector') ?? {}).every(
    ([key, value]) => own(metadata.labels, key) === value,
  )

const isLiked = (pod: KubeObject, node: KubeObject): boolean => {
  const path = ['affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms']
  const terms = listAt(pod, 'spec', ...path)
  return terms.length === 0 || terms.some(term => matchesTerm(term, node))
}

const matchesTerm = (term: unknown, { metadata }: KubeObject): boolean => {
  const labels = structuredSelector({ matchExpressions: listAt(term, 'matchExpressions') }) ?? []
  const fields = structuredSelector({ matchExpressions: listAt(term, 'matchFields') }) ?? []
  return matchesLabels(labels, metadata.labels) && matchesLabels(fields, { 'metadata.name': metadata.name })
}

const isTolerated = (pod: KubeObject, node: KubeObject): boolean => {
  const tolerations = mapsAt(pod, 'spec', 'tolerations')
  return mapsAt(node, 'spec', 'taints')
    .filter(({ effect }) => effect !== 'PreferNoSchedule')
    .every(taint => tolerations.some(each => tolerates(each, taint)))
}

const tolerates = (toleration: JsonMap, taint: JsonMap): boolean =>
  (!toleration.key || toleration.key === taint.key) &&
  (!toleration.effect || toleration.effect === taint.effect) &&
  (toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? ''))
