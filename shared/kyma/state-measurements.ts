// How the state of an object is measured: 1 for the state that it is in, and 0 for the others.
import type { Measurement } from '../core/decisions/measurement.ts'
import type { ModuleState } from './kinds.ts'

/** Of Kymas, and of modules that cannot be unmanaged. */
export const usualStates: readonly ModuleState[] = ['Processing', 'Deleting', 'Ready', 'Error', 'Warning']

type Shown = {
  readonly states: readonly ModuleState[]
  readonly now: ModuleState | undefined
  readonly labels: Record<string, string>
}

export const stateMeasurements = (metric: string, { states, now, labels }: Shown): Measurement[] =>
  states.map(state => ({ metric, labels: { ...labels, state }, set: state === now ? 1 : 0 }))
