// The writes that make generated Secrets, and which of them are not there yet.
import type { Step } from '../../../../shared/core/plan.ts'
import type { World } from '../../world.ts'
import type { SecretConfigName } from './secret-names.ts'

/** What makes or renews these Secrets now. */
export const secretSteps = (_world: World, _names: readonly SecretConfigName[], _now: Date): readonly Step[] => []

/** Those of them that are not there, with their bundles, as they are wished now. */
export const missingSecrets = (_world: World, names: readonly SecretConfigName[]): readonly SecretConfigName[] => names
