// garden-admission: fills in what a Garden leaves out, lifts older spellings, and refuses Gardens that could not be.
import { gardenKind } from '../../shared/api/garden.ts'
import type { AdmissionFunction } from '../../shared/runtime/definition.ts'
import { fill, review } from './review.ts'

export const gardenAdmission: AdmissionFunction = {
  does: 'review',
  name: 'garden-admission',
  kind: gardenKind,
  mutate: fill,
  review,
}
