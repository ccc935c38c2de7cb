// garden-admission: fills in a Garden's defaults, converts older spellings of fields, and refuses invalid Gardens.
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
