// Combines the configuration of a component with the options of its kind.
import { skipsDeleteHooks } from '../../../component/removed/delete-hooks.ts'
import type { EngineSettings } from '../../../component/settings.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { waitSeconds } from '../../../core/time/duration.ts'
import type { Engine } from '../definition/engine.ts'
import type { Configuration } from './configuration.ts'

type Configured = Partial<Configuration> & Pick<Configuration, 'additionalManagedTypes'>

export const settingsOf = (
  { name, options: { readiness, ...options } }: Pick<Engine, 'name' | 'options'>,
  component: KubeObject,
  configuration: Configured,
): EngineSettings => ({
  reconcilerName: name,
  finalizer: options.finalizer,
  adoptionPolicy: configuration.adoptionPolicy ?? options.adoptionPolicy,
  updatePolicy: configuration.updatePolicy ?? options.updatePolicy,
  deletePolicy: configuration.deletePolicy ?? options.deletePolicy,
  reapplySeconds: configuration.reapplySeconds ?? waitSeconds(options.reapplyInterval) ?? 3600,
  createMissingNamespaces: configuration.createMissingNamespaces ?? options.createMissingNamespaces,
  additionalManagedTypes: configuration.additionalManagedTypes,
  reclaimedManagers: options.reclaimedManagers,
  hasCrdFinalizers: options.crdFinalizers,
  deletionBlockers:
    typeof options.deletionBlockers === 'function' ? options.deletionBlockers(component) : options.deletionBlockers,
  whileBlocked: options.whileBlocked,
  skipsDeleteHooks: skipsDeleteHooks(component, name),
  applyPriorities: options.applyPriorities,
  deletePriorities: options.deletePriorities,
  readiness: readiness && ((object, builtIn) => readiness(object, builtIn, component)),
})
