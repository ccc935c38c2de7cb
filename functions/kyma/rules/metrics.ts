// Metrics of Kymas and their modules: 1 for the current state, 0 for all other states.
import { type Measurement, type Metric, stateMeasurements } from '../../../shared/core/decisions/measurement.ts'
import type { Reading } from '../../../shared/core/decisions/reading.ts'
import { type Kyma, type ModuleState, usualStates } from '../../../shared/kyma/kinds.ts'
import { runtimeLabels } from '../../../shared/kyma/kyma-runtime.ts'

const names = {
  kyma: 'lifecycle_mgr_kyma_state',
  module: 'lifecycle_mgr_module_state',
  windows: 'lifecycle_mgr_maintenance_window_config_read_success',
}

const identity = ['shoot', 'instance_id']

export const kymaMetrics: readonly Metric[] = [
  {
    name: names.kyma,
    type: 'gauge',
    labels: ['kyma_name', 'state', ...identity],
    help: 'Whether a Kyma is in this state',
  },
  {
    name: names.module,
    type: 'gauge',
    labels: ['module_name', 'kyma_name', 'state', ...identity],
    help: 'Whether a module of a Kyma is in this state',
  },
]

export const windowsMetric: Metric = {
  name: names.windows,
  type: 'gauge',
  labels: [],
  help: 'Whether the file with the maintenance windows can be read',
}

const moduleStates: readonly ModuleState[] = [...usualStates, 'Unmanaged']

/** Metrics need the labels shoot and instance, because users identify runtimes by these labels. */
export const isIdentified = (kyma: Kyma): boolean => !Object.values(runtimeLabels(kyma)).includes('')

/**
 * `declared`: names of modules in the control plane. A runtime's owner may list arbitrary names. A name that was neither declared nor ever
 * found is not shown, because each name would create a permanent series.
 */
export const kymaMeasurements = (kyma: Kyma, declared: ReadonlySet<string | undefined>): Measurement[] => {
  if (!isIdentified(kyma)) return []
  const labels = { kyma_name: kyma.metadata.name, ...runtimeLabels(kyma) }
  const modules = (kyma.status?.modules ?? []).filter(
    ({ name, template, manifest }) => template ?? manifest ?? declared.has(name),
  )
  return [
    ...stateMeasurements(names.kyma, { states: usualStates, now: kyma.status?.state, labels }),
    ...modules.flatMap(({ name, state }) =>
      stateMeasurements(names.module, { states: moduleStates, now: state, labels: { ...labels, module_name: name } }),
    ),
  ]
}

export const windowsMeasurement = (windows: Reading<unknown>): Measurement => ({
  metric: names.windows,
  set: 'read' in windows ? 1 : 0,
})
