// What objects name, so that what stays with others after a Garden stays whole: a ManagedResource names its Secret, that one a Deployment
// with its certificate, its priority and its namespace.

import { mapOrEmpty } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'

const referredKinds = new Set(['Secret', 'ConfigMap', 'PriorityClass', 'Namespace'])

/** Of the candidates those that are named by these; if they name candidates themselves, those instead, and so on inwards. */
export const innermostNamed = (by: readonly KubeObject[], candidates: readonly KubeObject[]): readonly KubeObject[] => {
  const names = new Set(by.flatMap(namesIn))
  const isNamed = ({ kind, metadata }: KubeObject) => referredKinds.has(kind) && names.has(metadata.name)
  const others = candidates.filter(one => !by.includes(one))
  const named = others.filter(isNamed)
  if (named.length === 0) return []
  const within = innermostNamed(named, others)
  return within.length > 0 ? within : named
}

/** The names it gives. Data of Secrets is read, too. */
const namesIn = ({ kind, metadata: { managedFields: _, ...metadata }, ...content }: KubeObject): readonly string[] => {
  const data = kind === 'Secret' ? Object.values(mapOrEmpty(content.data)) : []
  const texts = data.map(value => Buffer.from(String(value), 'base64').toString())
  const all = [JSON.stringify({ ...content, metadata }), ...texts]
  return all.flatMap(text => [...text.matchAll(nameGiven)].map(([, name = '']) => name))
}

/** As JSON and YAML write it. */
const nameGiven = /\b(?:name|namespace|secretName|priorityClassName)"?: ?"?([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)/g
