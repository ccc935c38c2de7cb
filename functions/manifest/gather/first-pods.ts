// Reads the first Pod of each StatefulSet that is not ready: what its first container says tells trouble from a slow start.
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import { labelSelectorText } from '../../../shared/core/objects/label-selector.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { ReadClient } from '../../../shared/kube/client-types.ts'

/** In the order of the StatefulSets; none of those that have no Pod. */
export const firstPods = async (client: ReadClient, statefulSets: readonly KubeObject[]): Promise<KubeObject[]> => {
  const pods = await Promise.all(statefulSets.map(statefulSet => podsOf(client, statefulSet)))
  return pods.flatMap(([first]) => first ?? [])
}

const podsOf = async (client: ReadClient, { metadata, spec }: KubeObject): Promise<KubeObject[]> => {
  const { matchLabels } = mapOrEmpty(mapOrEmpty(spec).selector)
  const labelSelector = labelSelectorText(mapOrEmpty(matchLabels))
  if (labelSelector === '') return []
  const pods = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace: metadata.namespace, labelSelector })
  return pods.filter(pod => !isDeleting(pod)).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
}
