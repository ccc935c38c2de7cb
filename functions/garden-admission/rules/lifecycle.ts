// Conditions for creating and deleting a Garden, whatever its spec is.
import { deletionConfirmation } from '../../../shared/api/garden/operations.ts'
import { gardenKind, referenceProtectionFinalizer } from '../../../shared/api/garden.ts'
import { hasFinalizer, type KubeObject } from '../../../shared/core/objects/object.ts'

/** A refusal as in metav1.Status. */
export type LifecycleRefusal = { code: number; reason: string; message: string }

const ourFinalizers = ['gardener.cloud/operator', referenceProtectionFinalizer]

/** The texts that Go parses as true. */
const confirmations: readonly unknown[] = ['1', 't', 'T', 'TRUE', 'true', 'True']

/** Why the Garden may not be created beside the Gardens there are. */
export const creationRefusal = (garden: KubeObject, others: readonly KubeObject[]): LifecycleRefusal | undefined => {
  if (others.length > 0) return badRequest(secondGarden)
  const finalizer = ourFinalizers.find(name => hasFinalizer(garden, name))
  return finalizer === undefined ? undefined : badRequest(`finalizer "${finalizer}" cannot be added on creation`)
}

/** Why the Garden may not be deleted. */
export const deletionRefusal = ({ metadata }: KubeObject): LifecycleRefusal | undefined =>
  confirmations.includes(metadata.annotations?.[deletionConfirmation])
    ? undefined
    : { code: 403, reason: 'Forbidden', message: `must have a "${deletionConfirmation}" annotation to delete` }

const secondGarden = `there can be only one ${gardenKind.apiVersion}.Garden resource in the system at a time`

const badRequest = (message: string): LifecycleRefusal => ({ code: 400, reason: 'BadRequest', message })
