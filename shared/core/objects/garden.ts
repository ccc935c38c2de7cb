// A Garden as the API server gives it, as several functions look at it.
import type { GardenFields } from '../../api/garden.ts'
import type { KubeObject } from './object.ts'

export type Garden = KubeObject & GardenFields
