// Metrics of Gardens: the state of the last operation, and which conditions are True.
import { type Measurement, type Metric, stateMeasurements } from '../../../shared/core/decisions/measurement.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'

const names = { state: 'espalier_garden_state', condition: 'espalier_garden_condition' }

export const gardenMetrics: readonly Metric[] = [
  {
    name: names.state,
    type: 'gauge',
    labels: ['name', 'state'],
    help: 'Whether the last operation of a Garden is in this state',
  },
  {
    name: names.condition,
    type: 'gauge',
    labels: ['name', 'condition'],
    help: 'Whether a condition of a Garden is True',
  },
]

const states = ['Pending', 'Processing', 'Succeeded', 'Error', 'Failed', 'Aborted']

export const gardenMeasurements = ({ metadata: { name }, status }: Garden): Measurement[] => [
  ...stateMeasurements(names.state, { states, now: status?.lastOperation?.state, labels: { name } }),
  ...(status?.conditions ?? []).map(({ type, status }) => ({
    metric: names.condition,
    labels: { name, condition: type },
    set: status === 'True' ? 1 : 0,
  })),
]
