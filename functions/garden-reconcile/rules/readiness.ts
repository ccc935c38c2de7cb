// Decides whether an object of a step is ready: an ordered table of faults for each kind. Objects of other kinds are ready once they exist.
import { operationAnnotation } from '../../../shared/api/garden/operations.ts'
import { type Check, checks } from '../../../shared/core/decisions/checks.ts'
import { isMap, mapOrEmpty, mapsIn, numberIn, sameJson, sentFields, shownText } from '../../../shared/core/json/json.ts'
import { conditionOf } from '../../../shared/core/objects/condition.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { quantityNano } from '../../../shared/core/objects/quantity.ts'
import { deploymentKind } from './kinds-read.ts'
import { findObject, kindText, type Objects, objectsOf } from './objects.ts'
import { rolloutFault, unobserved, waitsForTimeAlone } from './rollout.ts'

/** `runtime`: the objects of the object's cluster. */
type Fault = Check<[object: KubeObject, runtime: Objects], string>

const faults = checks<[object: KubeObject, runtime: Objects], string>

/** What the step waits for. undefined: the object exists as wanted, and is ready. */
export const waitText = (wanted: KubeObject, runtime: Objects): string | undefined => {
  const live = findObject(runtime, refOf(wanted))
  if (!live) return `${refText(refOf(wanted))}: does not exist yet`
  return isAsDesired(live, wanted)
    ? unreadyText(live, runtime)
    : `${refText(refOf(wanted))}: does not have the desired content yet`
}

/** What the step waits for, such as `Etcd garden/virtual-garden-etcd-main: is not ready yet`. undefined: the object is ready. */
export const unreadyText = (object: KubeObject, runtime: Objects): string | undefined => {
  const fault = faultsByKind.get(kindText(object))?.(object, runtime)
  return fault === undefined || fault === false ? undefined : `${refText(refOf(object))}: ${fault}`
}

const statusOf = ({ status }: KubeObject) => mapOrEmpty(status)

const condition =
  (type: string, wanted: 'True' | 'False' = 'True'): Fault =>
  object => {
    const found = conditionOf(object, type)
    if (found?.status === wanted) return undefined
    const because = typeof found?.message === 'string' && found.message !== '' ? ` (${found.message})` : ''
    return `${type} is still ${shownText(found?.status ?? 'not reported')}${because}`
  }

const lacksReplicas: Fault = object => {
  const wanted = numberIn(mapOrEmpty(object.spec), 'replicas') ?? 1
  return (numberIn(statusOf(object), 'readyReplicas') ?? 0) < wanted && 'does not have enough ready replicas yet'
}

const operationPending: Fault = ({ metadata }) =>
  metadata.annotations?.[operationAnnotation] !== undefined && 'its operation annotation is not processed yet'

const lastError: Fault = object => {
  const [first] = mapsIn(statusOf(object).lastErrors)
  const description =
    first?.description ?? mapOrEmpty(statusOf(object).lastError).description ?? statusOf(object).lastError
  return typeof description === 'string' && description !== '' && description
}

const backupUnready: Fault = object => {
  const backup = conditionOf(object, 'BackupReady')
  return backup?.status === 'False' && `its backup is not ready yet (${shownText(backup.message ?? '')})`
}

const etcdUnready: Fault = object => statusOf(object).ready !== true && 'is not ready yet'

/** The fault of a ManagedResource's condition, unless the condition only waits for the `minReadySeconds` of rolled out Deployments. */
const exceptForTime =
  (type: string, wanted?: 'False'): Fault =>
  (object, runtime) => {
    const fault = condition(type, wanted)(object, runtime)
    return fault && !waitsForTimeAlone(object, { type, deployments: objectsOf(runtime, deploymentKind) }) && fault
  }

/** ManagedResources whose rollout must end before the next steps, because the next steps replace or need their objects. */
const settledResources = new Set(['etcd-druid', 'gardener-apiserver-runtime'])

const stillProgressing: Fault = (object, runtime) =>
  settledResources.has(object.metadata.name) && exceptForTime('ResourcesProgressing', 'False')(object, runtime)

const faultsByKind: ReadonlyMap<string, Fault> = new Map<string, Fault>([
  [kindText(deploymentKind), rolloutFault],
  ['apps/v1 StatefulSet', faults(unobserved, lacksReplicas)],
  ['apiextensions.k8s.io/v1 CustomResourceDefinition', faults(condition('Established'))],
  [
    'resources.gardener.cloud/v1alpha1 ManagedResource',
    faults(unobserved, condition('ResourcesApplied'), exceptForTime('ResourcesHealthy'), stillProgressing),
  ],
  ['druid.gardener.cloud/v1alpha1 Etcd', faults(unobserved, operationPending, lastError, backupUnready, etcdUnready)],
])

// Whether a live object has all wanted fields. It may have more fields, such as defaults, and other spellings of quantities (`1` for
// `1000m`). `isApplied` is too strict here: it is also false if the API server only rewrote a value.

const isAsDesired = (live: KubeObject, wanted: KubeObject): boolean => contains(live, wanted)

const contains = (live: unknown, wanted: unknown): boolean => {
  if (isMap(wanted)) {
    if (sentFields(wanted).length === 0) return live === undefined || isMap(live)
    return isMap(live) && sentFields(wanted).every(field => contains(live[field], wanted[field]))
  }
  if (Array.isArray(wanted))
    return wanted.length === 0 ? live === undefined || Array.isArray(live) : listHolds(live, wanted)
  return sameJson(live, wanted) || isSameQuantity(live, wanted)
}

/** A live list may have elements of other programs between our elements. */
const listHolds = (live: unknown, wanted: readonly unknown[]): boolean =>
  Array.isArray(live) && wanted.every(element => live.some(other => contains(other, element)))

const isSameQuantity = (live: unknown, wanted: unknown): boolean => {
  const [one, other] = [live, wanted].map(value =>
    typeof value === 'string' || typeof value === 'number' ? quantityNano(String(value)) : undefined,
  )
  return one !== undefined && one === other
}
