// Computes the configuration of one component: namespace and cluster of its dependents, identity, intervals and policies. Combines it with
// the options of its kind. Pure.
import type { AdoptionPolicy, UpdatePolicy } from '../../../component/item.ts'
import { skipsDeleteHooks } from '../../../component/removed/deleting.ts'
import type { EngineSettings, GroupKind } from '../../../component/settings.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { waitSeconds } from '../../../core/time/duration.ts'
import { configurationInterfaces } from '../definition/definition.ts'
import type { Engine } from '../definition/engine.ts'
import { type ConfigurationOptions, type KubeConfigSource, readInterface } from './configuration-fields.ts'
import { type ActingIdentity, actingIdentity } from './identity.ts'

export type Configuration = {
  readonly deploymentNamespace: string
  readonly deploymentName: string
  readonly kubeConfig?: KubeConfigSource
  readonly identity: ActingIdentity
  readonly requeueSeconds: number
  readonly retrySeconds: number
  readonly timeoutSeconds: number
  readonly adoptionPolicy?: AdoptionPolicy
  readonly updatePolicy?: UpdatePolicy
  readonly deletePolicy?: 'Delete' | 'Orphan'
  readonly createMissingNamespaces?: boolean
  readonly additionalManagedTypes: readonly GroupKind[]
  readonly isSuspended: boolean
  readonly reapplySeconds?: number
}

type Configured = { readonly configuration: Configuration } | { readonly faults: readonly string[] }

const usualRequeueSeconds = 600

export const configurationOf = (component: KubeObject, options: ConfigurationOptions): Configured => {
  const read = configurationInterfaces
    .filter(name => name !== 'impersonation')
    .map(name => readInterface(component, name, options.configuration)[0])
  const identified = actingIdentity(component, options)
  const faults = read.flatMap(({ faults }) => faults)
  if ('faults' in identified) return { faults: [...faults, ...identified.faults] }
  if (faults.length > 0) return { faults }
  const values = Object.assign({}, ...read.map(({ values }) => values)) as Values
  return { configuration: { ...configured(component, values), identity: identified.identity } }
}

type Values = Partial<Omit<Configuration, 'identity'>> & {
  readonly requeueInterval?: number
  readonly retryInterval?: number
  readonly timeout?: number
  readonly suspend?: boolean
  readonly reapplyInterval?: number
}

const configured = ({ metadata }: KubeObject, values: Values): Omit<Configuration, 'identity'> => {
  const requeueSeconds = values.requeueInterval ?? usualRequeueSeconds
  return {
    ...values,
    deploymentNamespace: values.deploymentNamespace ?? metadata.namespace ?? '',
    deploymentName: values.deploymentName ?? metadata.name,
    requeueSeconds,
    retrySeconds: values.retryInterval ?? requeueSeconds,
    timeoutSeconds: values.timeout ?? requeueSeconds,
    additionalManagedTypes: values.additionalManagedTypes ?? [],
    isSuspended: values.suspend ?? false,
    reapplySeconds: values.reapplyInterval,
  }
}

export const settingsOf = (
  { name, options: { readiness, ...options } }: Pick<Engine, 'name' | 'options'>,
  component: KubeObject,
  configuration: Partial<Configuration> & Pick<Configuration, 'additionalManagedTypes'>,
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
