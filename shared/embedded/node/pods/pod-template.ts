// Makes Pods from a workload's template, and computes the hash of a template.
import { conditionOf, isTrue } from '../../../core/objects/condition.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { safeText, textHash } from '../../names.ts'
import { canonicalJson, fieldsAt, type JsonMap, numberAt, textAt } from '../../value.ts'
import type { Pace } from '../behaviour.ts'
import { ownerReference } from '../claims.ts'
import type { Context } from '../controller.ts'

type PodParts = {
  readonly name?: string
  /** Prefix of a generated name; the owner's name if absent. */
  readonly prefix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly spec?: JsonMap
}

export const podOf = (owner: KubeObject, template: JsonMap | undefined, parts: PodParts = {}): JsonMap => {
  const { labels, annotations, finalizers } = fieldsAt(template, 'metadata') ?? {}
  const { name } = parts
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: parts.prefix ?? `${owner.metadata.name}-`,
      ...(name !== undefined && { name }),
      namespace: owner.metadata.namespace,
      labels: { ...(labels as JsonMap), ...parts.labels },
      annotations: { ...(annotations as JsonMap), ...parts.annotations },
      finalizers: parts.finalizers ?? finalizers,
      ownerReferences: [ownerReference(owner)],
    },
    spec: { ...fieldsAt(template, 'spec'), ...parts.spec },
  }
}

export const templateOf = (owner: KubeObject): JsonMap | undefined => fieldsAt(owner, 'spec', 'template')

export const phaseOf = (pod: KubeObject): string => textAt(pod, 'status', 'phase')
export const isEnded = (pod: KubeObject): boolean => phaseOf(pod) === 'Succeeded' || phaseOf(pod) === 'Failed'
export const isEnding = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined
export const isActive = (pod: KubeObject): boolean => !isEnded(pod) && !isEnding(pod)
export const isReady = (pod: KubeObject): boolean => isTrue(conditionOf(pod, 'Ready'))

/** Milliseconds until a ready Pod is available: 0 if it is available, infinite if it is not ready. */
export const untilAvailable = ({ secondMilliseconds }: Pace, pod: KubeObject, owner: KubeObject): number => {
  if (!isReady(pod)) return Number.POSITIVE_INFINITY
  const seconds = numberAt(owner, ['spec', 'minReadySeconds'])
  if (seconds === 0) return 0
  const since = Date.parse(textAt(conditionOf(pod, 'Ready'), 'lastTransitionTime'))
  return Math.max(0, since + seconds * secondMilliseconds - Date.now())
}

/** Whether the Pod is available. The owner is reconciled again when a ready Pod becomes available. */
export const isAvailable = (context: Context, pod: KubeObject, owner: KubeObject): boolean => {
  const wait = untilAvailable(context, pod, owner)
  if (wait > 0 && Number.isFinite(wait)) context.requeueAfter(wait)
  return wait === 0
}

export const hashOf = (value: unknown, collisions = 0): string =>
  safeText(String(textHash(canonicalJson(value) + (collisions ? String(collisions) : ''))))
