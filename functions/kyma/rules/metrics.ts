// What is shown of Kymas and their modules: 1 for the state in which each is, and 0 for the others.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { Measurement, Metric } from '../../../shared/core/measurement.ts'
import type { Kyma, ModuleState } from '../../../shared/kyma/kinds.ts'

const names = {
  kyma: 'lifecycle_mgr_kyma_state',
  module: 'lifecycle_mgr_module_state',
  windows: 'lifecycle_mgr_maintenance_window_config_read_success',
}

const identity = ['shoot', 'instance_id']

export const kymaMetrics: readonly Metric[] = [
  {
    ...{ name: names.kyma, type: 'gauge', labels: ['kyma_name', 'state', ...identity] },
    help: 'Whether a Kyma is in this state',
  },
  {
    ...{ name: names.module, type: 'gauge', labels: ['module_name', 'kyma_name', 'state', ...identity] },
    help: 'Whether a module of a Kyma is in this state',
  },
  {
    ...{ name: names.windows, type: 'gauge', labels: [] },
    help: 'Whether the file with the maintenance windows can be read',
  },
]

const kymaStates: readonly ModuleState[] = ['Processing', 'Deleting', 'Ready', 'Error', 'Warning']
const moduleStates: readonly ModuleState[] = [...kymaStates, 'Unmanaged']

/** By which people know a runtime: its shoot and its instance; undefined where its Kyma does not say both. */
const identityOf = ({ metadata }: Kyma): Record<string, string> | undefined => {
  const [shoot] = (metadata.annotations?.[kymaNames.annotations.skrDomain] ?? '').split('.')
  const instance = metadata.labels?.[kymaNames.labels.instanceId]
  return shoot && instance ? { shoot, instance_id: instance } : undefined
}

/** Whether anything can be shown of the Kyma. */
export const isIdentified = (kyma: Kyma): boolean => identityOf(kyma) !== undefined

export const kymaMeasurements = (kyma: Kyma): Measurement[] => {
  const identified = identityOf(kyma)
  if (identified === undefined) return []
  const labels = { kyma_name: kyma.metadata.name, ...identified }
  const modules = kyma.status?.modules ?? []
  return [
    ...shown(names.kyma, { states: kymaStates, now: kyma.status?.state, labels }),
    ...modules.flatMap(({ name, state }) =>
      shown(names.module, { states: moduleStates, now: state, labels: { ...labels, module_name: name } }),
    ),
  ]
}

export const windowsMeasurement = (isRead: boolean): Measurement => ({ metric: names.windows, set: isRead ? 1 : 0 })

type Shown = {
  readonly states: readonly ModuleState[]
  readonly now: ModuleState | undefined
  readonly labels: Record<string, string>
}

const shown = (metric: string, { states, now, labels }: Shown): Measurement[] =>
  states.map(state => ({ metric, labels: { ...labels, state }, set: state === now ? 1 : 0 }))
