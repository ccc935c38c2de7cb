// Computes the configuration of one component: namespace and cluster of its dependents, identity, intervals and policies. Pure.
import type { AdoptionPolicy, UpdatePolicy } from '../../../component/declared/policies.ts'
import type { GroupKind } from '../../../component/settings.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { configurationInterfaces } from '../definition/definition.ts'
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

type Values = Partial<{
  deploymentNamespace: string
  deploymentName: string
  kubeConfig: KubeConfigSource
  requeueInterval: number
  retryInterval: number
  timeout: number
  adoptionPolicy: AdoptionPolicy
  updatePolicy: UpdatePolicy
  deletePolicy: 'Delete' | 'Orphan'
  createMissingNamespaces: boolean
  additionalManagedTypes: GroupKind[]
  suspend: boolean
  reapplyInterval: number
}>

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
