// What objects name, so that what stays with others after a Garden stays whole: a ManagedResource names its Secret, that one a Deployment
// with its certificate, its priority and its namespace.

import { mapOrEmpty } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'

const referredKinds = new Set(['Secret', 'ConfigMap', 'PriorityClass', 'Namespace'])

/** Of the candidates those that are named by these; if they name candidates themselves, those instead, and so on inwards. */
export const innermostNamed = (by: readonly KubeObject[], candidates: readonly KubeObject[]): readonly KubeObject[] => {
  const words = new Set(by.flatMap(wordsIn))
  const isNamed = ({ kind, metadata }: KubeObject) => referredKinds.has(kind) && words.has(metadata.name)
  const others = candidates.filter(one => !by.includes(one))
  const named = others.filter(isNamed)
  if (named.length === 0) return []
  const within = innermostNamed(named, others)
  return within.length > 0 ? within : named
}

/** All that could be a name. Data of Secrets is read, too. */
const wordsIn = ({ kind, metadata: { managedFields: _, ...metadata }, ...content }: KubeObject): readonly string[] => {
  const data = kind === 'Secret' ? Object.values(mapOrEmpty(content.data)) : []
  const texts = data.map(value => Buffer.from(String(value), 'base64').toString())
  return [JSON.stringify({ ...content, metadata }), ...texts].flatMap(text => text.match(nameShape) ?? [])
}

const nameShape = /[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?/g
