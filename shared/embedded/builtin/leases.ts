// Lease: what the API server checks of its numbers.
import type { KubeObject } from '../../core/objects/object.ts'
import { invalidValue } from '../faults.ts'
import type { FieldFault } from '../status.ts'
import { fieldsAt } from '../value.ts'

export const leaseFaults = (object: KubeObject): FieldFault[] => {
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = fieldsAt(object, 'spec') ?? {}
  return [
    ...(typeof seconds === 'number' && seconds <= 0
      ? [invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]
      : []),
    ...(typeof transitions === 'number' && transitions < 0
      ? [invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
      : []),
  ]
}
