// Decides whether a live object is ready: first rules for all kinds, then rules of readiness-by-kind.ts.
import { numberIn } from '../../core/json/json.ts'
import { conditionOf, conditionText, isTrue } from '../../core/objects/condition.ts'
import { groupAndKind, isDeleting, type KubeObject } from '../../core/objects/object.ts'
import type { Hints } from '../declared/status-hints.ts'
import { kindRules, type ObjectReadiness, statusOf } from './readiness-by-kind.ts'

/** `now` is only used for Pods that cannot be scheduled. */
export const readinessOf = (object: KubeObject, hints: Hints, now: Date): ObjectReadiness => {
  const found =
    general(object, hints) ?? kindRules[groupAndKind(object)]?.(object, now) ?? byReadyCondition(object, hints)
  return found.status === 'Current' ? (lacking(object, hints) ?? found) : found
}

const general = (object: KubeObject, hints: Hints): ObjectReadiness | undefined => {
  if (isDeleting(object)) return { status: 'Terminating', message: 'is being deleted' }
  const { generation } = object.metadata
  const observed = observedGeneration(object, hints)
  if (observed !== undefined && typeof generation === 'number' && observed !== generation)
    return { status: 'InProgress', message: `generation ${generation} is not observed yet` }
  const [reconciling, stalled] = [conditionOf(object, 'Reconciling'), conditionOf(object, 'Stalled')]
  if (isTrue(reconciling)) return { status: 'InProgress', message: conditionText(reconciling, 'is reconciling') }
  if (isTrue(stalled)) return { status: 'Failed', message: conditionText(stalled, 'is stalled') }
  return undefined
}

/** If the field is missing: -1 when the hints require the field, otherwise undefined. */
const observedGeneration = (object: KubeObject, hints: Hints): number | undefined => {
  const said = numberIn(statusOf(object), 'observedGeneration')
  if (said !== undefined || !hints.hasObservedGeneration) return said
  return numberIn(conditionOf(object, 'Ready') ?? {}, 'observedGeneration') ?? -1
}

const byReadyCondition = (object: KubeObject, hints: Hints): ObjectReadiness => {
  const ready = conditionOf(object, 'Ready')
  if ((ready === undefined && !hints.hasReadyCondition) || isTrue(ready))
    return { status: 'Current', message: 'is ready' }
  return { status: 'InProgress', message: conditionText(ready, 'has no condition Ready yet') }
}

/** For these kinds, the conditions must be True even without hints. */
const impliedConditions: Readonly<Record<string, readonly string[]>> = {
  'apiextensions.k8s.io/CustomResourceDefinition': ['Established', 'NamesAccepted'],
  'apiregistration.k8s.io/APIService': ['Available'],
}

const lacking = (object: KubeObject, hints: Hints): ObjectReadiness | undefined => {
  const hinted = [...hints.conditions, ...(hints.hasReadyCondition ? ['Ready'] : [])]
  const type = [...(impliedConditions[groupAndKind(object)] ?? []), ...hinted].find(
    condition => !isTrue(conditionOf(object, condition)),
  )
  if (type === undefined) return undefined
  const condition = conditionOf(object, type)
  const message = conditionText(condition, `condition ${type} is not True yet`)
  if (condition || !hints.conditions.includes(type)) return { status: 'InProgress', message }
  return { status: 'InProgress', message, bare: 'a condition that its status hint names is not True yet' }
}
