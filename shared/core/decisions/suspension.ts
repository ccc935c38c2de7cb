// Decides by an annotation whether the functions of an object are suspended, and reports the suspension in its status.
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
 * The value of the annotation; undefined when functions work on the object. A deletion is never suspended. An object of another project's
 * kind, such as a Garden, can be suspended only if our function writes its status.
 */
export const suspensionOf = (
  object: KubeObject,
  { keepsState = conditionOf(object, type) !== undefined }: { readonly keepsState?: boolean } = {},
): string | undefined =>
  (keepsState || kinds.includes(groupAndKind(object))) && !isDeleting(object)
    ? object.metadata.annotations?.[espalierAnnotations.suspended]
    : undefined

/** The status repeats at most this many characters of the annotation. */
const lettersMost = 1_000

/**
 * The status change that reports the suspension. An absent status stays absent: the definition may require other fields, such as a state.
 */
export const suspendedStatus = (object: KubeObject, suspension: string, now: Date): StatusChange => {
  const message = suspendedSentence(suspension)
  if (object.status === undefined || conditionOf(object, type)?.message === message) return {}
  const change = { type, status: 'True', reason: 'Suspended', message, ...alsoRequired[groupAndKind(object)]?.(now) }
  return { conditions: withCondition(conditionsIn(object), change, now) }
}

/** Fields that the CustomResourceDefinitions of other projects require in a condition. */
const alsoRequired: Readonly<Record<string, (now: Date) => Partial<Condition>>> = {
  'operator.gardener.cloud/Garden': now => ({ lastUpdateTime: kubeTime(now) }),
}

/** `suspended by alice at 2026-03-01T08:00:00Z: migration` */
export const suspendedSentence = (suspension: string): string => `suspended by ${suspension.slice(0, lettersMost)}`

/** The object without the condition Suspended; the same object when it has none. */
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
