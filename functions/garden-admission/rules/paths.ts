// Paths to parts of a Garden, for rules.
import { own } from '../../../shared/core/json/fields.ts'
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'

export const networking = 'spec.runtimeCluster.networking'
export const settings = 'spec.runtimeCluster.settings'
export const ingress = 'spec.runtimeCluster.ingress'
export const virtualClusterPath = 'spec.virtualCluster'
export const dns = `${virtualClusterPath}.dns`
export const virtualServices = `${virtualClusterPath}.networking.services`
export const etcd = `${virtualClusterPath}.etcd`
export const kubernetes = `${virtualClusterPath}.kubernetes`
export const kubeAPIServerPath = `${kubernetes}.kubeAPIServer`
export const kubeControllerManager = `${kubernetes}.kubeControllerManager`
export const gardenerPath = `${virtualClusterPath}.gardener`
export const gardenerAPIServer = `${gardenerPath}.gardenerAPIServer`

/** The paths of a field that both API servers have. */
export const ofBothAPIServers = (field: string): string[] => [
  `${kubeAPIServerPath}.${field}`,
  `${gardenerAPIServer}.${field}`,
]

/**
 * Returns a copy with the changed field, or the same object if nothing changes or a value on the path is not a map. Creates missing maps
 * only if the new value is not undefined.
 */
export const changedAt = <T>(object: T, path: string, change: (value: unknown) => unknown): T =>
  changed(object, path.split('.'), change) as T

const changed = (value: unknown, [step, ...rest]: string[], change: (value: unknown) => unknown): unknown => {
  if (step === undefined) return change(value)
  if (value !== undefined && !isMap(value)) return value
  const owner: JsonMap = value ?? {}
  const inner = own(owner, step)
  const made = changed(inner, rest, change)
  return Object.is(made, inner) ? value : { ...owner, [step]: made }
}
