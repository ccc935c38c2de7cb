// What is to be done for a Website. Pure: what it knows is its World, what it wants is a Plan.
import { isDeleting, type KubeObject, type Plan, settled, withCondition } from 'espalier'
import type { Website } from '../../kinds/website.ts'

export type World = { readonly object: Website }

export const decide = ({ object }: World, now: Date): Plan => {
  if (isDeleting(object)) return { steps: [], status: {}, events: [], next: settled }
  const ready = { type: 'Ready', status: 'True', reason: 'Applied', message: 'The ConfigMap is there' }
  return {
    steps: [{ do: 'apply', object: configMap(object) }],
    status: { conditions: withCondition(object.status?.conditions ?? [], ready, now) },
    events: [],
    next: settled,
  }
}

/** Kubernetes deletes it with its owner. */
const configMap = ({ apiVersion, kind, metadata: { namespace, name, uid = '' }, spec }: Website): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] },
  data: { greeting: spec.greeting },
})
