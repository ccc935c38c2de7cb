// Whether functions shall leave an object alone, because of an annotation of it, and what its status then says. Pure.

import { ourKinds } from '../../api/our-kinds.ts'
import { isMap, mapOrEmpty } from '../json/json.ts'
import { type Condition, conditionOf, withCondition } from '../objects/condition.ts'
import { groupAndKind, isDeleting, type KubeObject } from '../objects/object.ts'
import { espalierAnnotations } from '../objects/steering.ts'
import { kubeTime } from '../time/kube-time.ts'
import type { StatusChange } from './plan.ts'

const type = 'Suspended'

const kinds: readonly string[] = ourKinds.map(groupAndKind)

/**
 * The annotation, which says who wants it and why; undefined: functions work on the object. Its deletion is not suspended. Of other kinds
 * than ours those count whose function keeps the state (definition.ts), which others know by the status. Example: a Namespace does not.
 */
export const suspensionOf = (
  object: KubeObject,
  { keepsState = conditionOf(object, type) !== undefined }: { readonly keepsState?: boolean } = {},
): string | undefined =>
  (keepsState || kinds.includes(groupAndKind(object))) && !isDeleting(object)
    ? object.metadata.annotations?.[espalierAnnotations.suspended]
    : undefined

/** So much of the annotation is repeated in the status. */
const lettersMost = 1_000

/** The change that makes the status say so. Where there is none yet, none begins: definitions require more of it, such as a state. */
export const suspendedStatus = (object: KubeObject, suspension: string, now: Date): StatusChange => {
  const message = suspendedSentence(suspension)
  if (object.status === undefined || conditionOf(object, type)?.message === message) return {}
  const change = { type, status: 'True', reason: 'Suspended', message, ...alsoRequired[groupAndKind(object)]?.(now) }
  return { conditions: withCondition(conditionsIn(object), change, now) }
}

/** What definitions of others require of a condition besides. */
const alsoRequired: Readonly<Record<string, (now: Date) => Partial<Condition>>> = {
  'operator.gardener.cloud/Garden': now => ({ lastUpdateTime: kubeTime(now) }),
}

/** `suspended by alice at 2026-03-01T08:00:00Z: migration` */
export const suspendedSentence = (suspension: string): string => `suspended by ${suspension.slice(0, lettersMost)}`

/** The object as if it had never been suspended; the very same object when its status does not say that it is. */
export const resumed = (object: KubeObject): KubeObject =>
  conditionOf(object, type) === undefined
    ? object
    : {
        ...object,
        status: {
          ...mapOrEmpty(object.status),
          conditions: conditionsIn(object).filter(condition => condition.type !== type),
        },
      }

const conditionsIn = ({ status }: KubeObject): readonly Condition[] => {
  const { conditions } = mapOrEmpty(status)
  return Array.isArray(conditions) ? (conditions.filter(isMap) as Condition[]) : []
}
