// What is to be done for a Website, and how it went. Both are pure.
import {
  faultTexts,
  isDeleting,
  type KubeObject,
  type Plan,
  type Report,
  type StepResult,
  settled,
  withCondition,
} from 'espalier'
import type { Website } from '../../kinds/website.ts'

export type World = {
  readonly object: Website
  /** The ConfigMap of this name, whoever made it. */
  readonly found?: KubeObject | undefined
}

export const decide = (world: World): Plan => {
  const steps: Plan['steps'] =
    isDeleting(world.object) || isForeign(world) ? [] : [{ do: 'apply', object: configMap(world.object) }]
  return { steps, status: {}, events: [], next: settled }
}

/** Judges what has happened: when a step failed, the Website is not Ready. */
export const report = (world: World, _plan: Plan, results: readonly StepResult[], now: Date): Report => {
  const { object } = world
  if (isDeleting(object)) return { status: {} }
  const faults = isForeign(world) ? ['another ConfigMap of this name is there'] : faultTexts(results)
  const ready =
    faults.length === 0
      ? { type: 'Ready', status: 'True', reason: 'Applied', message: 'The ConfigMap is there' }
      : { type: 'Ready', status: 'False', reason: 'Failed', message: faults.join(', ') }
  return { status: { conditions: withCondition(object.status?.conditions ?? [], ready, now) } }
}

/** Whoever may create a Website gets no ConfigMap of others in this way. */
const isForeign = ({ object, found }: World): boolean =>
  found !== undefined && !found.metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid)

/** Kubernetes deletes it with its owner. */
const configMap = ({ apiVersion, kind, metadata: { namespace, name, uid = '' }, spec }: Website): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, ownerReferences: [{ apiVersion, kind, name, uid, controller: true }] },
  data: { greeting: spec.greeting },
})
