// The reviews of Gardens: defaults before a Garden is stored, and checks of creation, update and deletion. Also the reviews of objects that
// Gardens name.
import { isDeepStrictEqual } from 'node:util'
import { deletionConfirmation } from '../../shared/api/garden/operations.ts'
import { metadataFault, type ShapeFault, shapeFault } from '../../shared/api/garden/shape.ts'
import { gardenKind, gardenNamespace, referenceProtectionFinalizer } from '../../shared/api/garden.ts'
import { type FieldError, invalid, invalidStatus, required } from '../../shared/core/objects/field-error.ts'
import type { Garden } from '../../shared/core/objects/garden.ts'
import { groupOf, hasFinalizer, isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import type { AdmissionRequest, AdmissionVerdict } from '../../shared/runtime/definition.ts'
import {
  configMapFault,
  configurationsToJudge,
  hasChanged,
  hasNewKubeconfig,
  kubeconfigRefusal,
  namedFault,
} from './rules/contents.ts'
import { inTodaysSpelling, withDefaults } from './rules/defaults.ts'
import type { ReviewedGarden } from './rules/rule.ts'
import { gardenRules, metadataRules } from './rules/rules.ts'
import { errorsOf, ruleTree } from './rules/walk.ts'
import { warningsOf } from './rules/warnings.ts'

/** The mutating webhook. Gardens in deletion get no defaults, because defaults would change the spec. */
export const fill = ({ object }: AdmissionRequest): AdmissionVerdict => {
  if (object === null) return { allowed: true }
  const lifted = inTodaysSpelling(object)
  return { allowed: true, object: isDeleting(lifted) ? lifted : withDefaults(lifted) }
}

export const review = async (request: AdmissionRequest, context: Reading): Promise<AdmissionVerdict> => {
  const { operation, object, oldObject } = request
  if (operation === 'DELETE') return oldObject ? verdictOf(deletionRefusal(oldObject)) : { allowed: true }
  if (object === null) return { allowed: true }
  const fault = metadataFault(object)
  if (fault) return refused(object, [shapeError(fault)])
  const refusal = operation === 'CREATE' ? creationRefusal(object, await gardens(context)) : undefined
  return refusal ? verdictOf(refusal) : judged(object, oldObject)
}

type Reading = Pick<GatherContext, 'reads'>

/** Reviews configurations of API servers in ConfigMaps that Gardens name. `webhook`: the path of the webhook. */
export const configurationReview =
  (webhook: string) =>
  async ({ object, oldObject }: AdmissionRequest, { reads }: Reading): Promise<AdmissionVerdict> => {
    if (object === null) return { allowed: true }
    if (object.kind !== gardenKind.kind) {
      const change = { object, oldObject }
      return hasChanged(webhook, change)
        ? contentVerdict(configMapFault(webhook, change, await wholeGardens({ reads })))
        : { allowed: true }
    }
    // If the shape of a Garden is invalid, another webhook refuses the Garden.
    if (shapeFault(object)) return { allowed: true }
    const garden = object as Garden
    const before = oldObject && !shapeFault(oldObject) ? (oldObject as Garden) : undefined
    const faults = configurationsToJudge(webhook, garden, before).map(async ({ row, name }) => {
      const found = await reads.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: gardenNamespace, name })
      return namedFault(row, garden, found)
    })
    return contentVerdict((await Promise.all(faults)).find(fault => fault !== undefined))
  }

export const kubeconfigReview = async (
  { object, oldObject }: AdmissionRequest,
  context: Reading,
): Promise<AdmissionVerdict> => {
  if (object === null || oldObject === null || !hasNewKubeconfig(object, oldObject)) return { allowed: true }
  const refusal = kubeconfigRefusal(object, await wholeGardens(context))
  return refusal ? { allowed: false, ...refusal } : { allowed: true }
}

const wholeGardens = async ({ reads }: Reading): Promise<Garden[]> =>
  (await reads.list(gardenKind)).filter(object => shapeFault(object) === undefined) as Garden[]

/** The refusal has no reason, as in the Go operator. */
const contentVerdict = (message: string | undefined): AdmissionVerdict =>
  message === undefined ? { allowed: true } : { allowed: false, code: 422, reason: '', message }

/** Reads only metadata, because only the existence of a Garden is checked. */
const gardens = ({ reads }: Reading): Promise<KubeObject[]> => reads.list({ ...gardenKind, metadataOnly: true })

const verdictOf = (refusal: LifecycleRefusal | undefined): AdmissionVerdict =>
  refusal ? { allowed: false, ...refusal } : { allowed: true }

const allRules = ruleTree(gardenRules)
const rulesInDeletion = ruleTree(metadataRules)

const mostErrors = 200

const judged = (object: KubeObject, oldObject: KubeObject | null): AdmissionVerdict => {
  const lifted = oldObject && inTodaysSpelling(oldObject)
  const isLeaving = isDeleting(object) && isDeepStrictEqual(inTodaysSpelling(object).spec, lifted?.spec)
  const faultOf = isLeaving ? metadataFault : shapeFault
  const fault = faultOf(object)
  if (fault) return refused(object, [shapeError(fault)])
  const garden = object as Garden
  // The stored Garden may lack defaults. Without setting them here, each default would count as a change.
  const before = lifted && withDefaults(lifted)
  // A stored Garden with an older shape cannot be compared.
  const subject: ReviewedGarden = before && !faultOf(before) ? { garden, before: before as Garden } : { garden }
  const errors = errorsOf(isLeaving ? rulesInDeletion : allRules, subject, mostErrors)
  if (errors.length > 0) return refused(object, errors)
  return { allowed: true, warnings: isLeaving ? [] : warningsOf(garden) }
}

const refused = ({ metadata }: KubeObject, errors: readonly FieldError[]): AdmissionVerdict => {
  const { apiVersion, kind } = gardenKind
  return { allowed: false, ...invalidStatus({ group: groupOf(apiVersion), kind, name: metadata.name ?? '' }, errors) }
}

const shapeError = (fault: ShapeFault): FieldError => {
  switch (fault.is) {
    case 'missing':
      return required(fault.path, '')
    case 'unfit':
      return invalid(fault.path, fault.value, fault.message)
  }
}

/** Fields of metav1.Status. */
type LifecycleRefusal = { code: number; reason: string; message: string }

const ourFinalizers = ['gardener.cloud/operator', referenceProtectionFinalizer]

/** The texts that Go's ParseBool accepts as true. */
const confirmations: readonly unknown[] = ['1', 't', 'T', 'TRUE', 'true', 'True']

const creationRefusal = (garden: KubeObject, others: readonly KubeObject[]): LifecycleRefusal | undefined => {
  if (others.length > 0) return badRequest(secondGarden)
  const finalizer = ourFinalizers.find(name => hasFinalizer(garden, name))
  return finalizer === undefined ? undefined : badRequest(`finalizer "${finalizer}" cannot be added on creation`)
}

const deletionRefusal = ({ metadata }: KubeObject): LifecycleRefusal | undefined =>
  confirmations.includes(metadata.annotations?.[deletionConfirmation])
    ? undefined
    : { code: 403, reason: 'Forbidden', message: `must have a "${deletionConfirmation}" annotation to delete` }

const secondGarden = `there can be only one ${gardenKind.apiVersion}.Garden resource in the system at a time`

const badRequest = (message: string): LifecycleRefusal => ({ code: 400, reason: 'BadRequest', message })
