// Metrics of Kymas and their modules: 1 for the current state, 0 for all other states; and the reasons of Kyma's next calls.
import { type Measurement, type Metric, stateMeasurements } from '../../../shared/core/decisions/measurement.ts'
import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import type { Reading } from '../../../shared/core/decisions/reading.ts'
import { stepFaults } from '../../../shared/core/decisions/steps.ts'
import { type Kyma, type ModuleState, usualStates } from '../../../shared/kyma/kinds.ts'
import { runtimeLabels } from '../../../shared/kyma/kyma-runtime.ts'
import type { Requeue } from '../../../shared/kyma/next-call.ts'
import type { KymaPlan } from '../decide.ts'
import type { World } from '../world.ts'

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

/** By part of a Kyma, or by step of its deletion. The Go operator has no reason for other parts and steps. */
const reasons: Readonly<Record<string, string>> = {
  modules: 'manifest_reconciliation',
  'module-catalogue': 'module_catalog_sync',
  'runtime-crds': 'crds_sync',
  'kyma-copy': 'spec_replacement_from_remote',
  'runtime-agent': 'skr_webhook_installation',
  'pull-secret': 'image_pull_secret_sync',
  SetSkrKymaStateDeleting: 'status_sync_to_remote',
  DeleteManifests: 'manifest_crs_cleanup',
  EnsureManifestDeletion: 'manifest_crs_cleanup',
  DeleteSkrModuleTemplateCrd: 'remote_module_catalog_deletion',
  DeleteSkrModuleReleaseMetaCrd: 'remote_module_catalog_deletion',
  DeleteSkrKyma: 'remote_kyma_deletion',
}

/** The copy's status is written after the Kyma's status. */
export const statusNotCopied: Requeue = { reason: 'status_sync_to_remote', type: 'unexpected' }

const typeOf = (results: readonly StepResult[]): Requeue['type'] =>
  stepFaults(results).length > 0 ? 'unexpected' : 'intended'

export const requeues = (world: World, { phase }: KymaPlan, results: readonly StepResult[]): readonly Requeue[] => {
  const { kyma, runtime } = world
  const named = (name: string, steps: readonly unknown[]): Requeue[] => {
    const own = results.filter(({ step }) => steps.includes(step))
    const reason = reasons[name]
    return reason && own.length > 0 ? [{ reason, type: typeOf(own) }] : []
  }
  if (phase.is === 'ownership') return [{ reason: 'labels_and_finalizers_update', type: typeOf(results) }]
  if (phase.is === 'deletion') {
    const begins = ['kyma_status_update_to_deleting', 'kyma_deletion']
    if (kyma.status?.state !== 'Deleting') return begins.map(reason => ({ reason, type: 'intended' }))
    return phase.deletion.rows.flatMap(row => named(row.name, row.steps))
  }
  if (phase.is !== 'life') return []
  const unreached: Requeue = { reason: 'sync_context_retrieval', type: 'unexpected' }
  const first: Requeue = { reason: 'initial_state_handling', type: 'intended' }
  return [
    ...('fault' in runtime ? [unreached] : []),
    ...(kyma.status?.state ? [] : [first]),
    ...phase.decided.flatMap(({ part, steps }) => named(part.name, steps)).filter(({ type }) => type === 'unexpected'),
  ]
}
