// Whether a Pod fits a node (node selector, required node affinity, taints), and addresses for Pods from 10.244.0.0/14. No address is routed. The set of
// used addresses is computed from the Pods and never stored.
import type { KubeObject } from '../../../core/objects/object.ts'
import { matchesLabels, structuredSelector } from '../../storage/selectors.ts'
import type { Store } from '../../storage/store.ts'
import { fieldsAt, type JsonMap, listAt, mapsAt, own, textAt } from '../../value.ts'

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

const room = 4 * 65_536 - 2

export class Addresses {
  readonly #taken = new Set<string>()
  #cursor = 0

  constructor(store: Store) {
    const pods = store.now('pods')
    for (const key of pods.keys('')) this.#taken.add(textAt(pods.get(key)?.object, 'status', 'podIP'))
    store.onChange(({ collection, type, stored }) => {
      if (collection === 'pods' && type === 'DELETED') this.#taken.delete(textAt(stored.object, 'status', 'podIP'))
    })
  }

  next(): string {
    for (let tries = 0; tries < room; tries++) {
      this.#cursor = (this.#cursor % room) + 1
      const address = `10.${244 + (this.#cursor >> 16)}.${(this.#cursor >> 8) & 255}.${this.#cursor & 255}`
      if (this.#taken.has(address)) continue
      this.#taken.add(address)
      return address
    }
    throw new Error('no IP address is free for a Pod')
  }
}
