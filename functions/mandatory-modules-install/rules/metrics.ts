// Gauges of mandatory modules: their number, and the state of each module in each runtime.
import { type Measurement, type Metric, stateMeasurements } from '../../../shared/core/decisions/measurement.ts'
import { kymaNameOf, type Manifest, moduleNameOf, usualStates } from '../../../shared/kyma/kinds.ts'
import type { ModuleCatalogue } from '../../../shared/kyma/modules/look-up.ts'
import { mandatoryModuleNames } from '../../../shared/kyma/modules/mandatory-modules.ts'

const names = { modules: 'lifecycle_mgr_mandatory_modules', state: 'lifecycle_mgr_mandatory_module_state' }

export const mandatoryMetrics: readonly Metric[] = [
  { name: names.modules, type: 'gauge', labels: [], help: 'Number of mandatory modules' },
  {
    name: names.state,
    type: 'gauge',
    labels: ['module_name', 'kyma_name', 'state'],
    help: 'Whether a mandatory module of a Kyma is in this state',
  },
]

/** `manifests`: the Manifests of mandatory modules. */
export const mandatoryMeasurements = (
  catalogue: ModuleCatalogue,
  manifests: readonly Manifest[],
): readonly Measurement[] => [
  { metric: names.modules, set: mandatoryModuleNames(catalogue).length },
  ...manifests.flatMap(manifest =>
    stateMeasurements(names.state, {
      states: usualStates,
      now: manifest.status?.state,
      labels: { module_name: moduleNameOf(manifest) ?? '', kyma_name: kymaNameOf(manifest) },
    }),
  ),
]
