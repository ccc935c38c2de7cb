// The runtime of a Kyma: the cluster of its modules, the names by which users know the runtime, and to which Kyma the copy in it belongs.
import { kymaNames } from '../api/kyma/names.ts'
import { isLabelValue } from '../core/objects/dns-name.ts'
import { type ClusterName, type Key, type KubeObject, keyText } from '../core/objects/object.ts'
import type { Kyma } from './kinds.ts'

type Remote = NonNullable<Kyma['spec']['remote']>

/** `sync` is the former name of `remote`. */
export const remoteOf = ({ spec }: Kyma): Remote => spec.remote ?? spec.sync ?? {}

/** If false, the modules are installed in the cluster of the Kyma itself. */
export const isRemote = (kyma: Kyma): boolean => remoteOf(kyma).enabled !== false

/** The namespace in the runtime for the copy of the Kyma, the catalogue, and default objects of modules. */
export const syncNamespace = (kyma: Kyma): string => remoteOf(kyma).namespace || kymaNames.namespaces.runtime

/** The name of the Kyma's runtime in steps. `runtimes` is a group of remotes in serverless.yml. The Kyma's access Secret has the kubeconfig. */
export const runtimeName = (kyma: string): ClusterName => `runtimes/${kyma}`

export const runtimeCrdNames = {
  kymas: 'kymas.operator.kyma-project.io',
  templates: 'moduletemplates.operator.kyma-project.io',
  releases: 'modulereleasemetas.operator.kyma-project.io',
} as const

// The names by which users know the runtime of a Kyma: its domain, its shoot (the first part of the domain), and its instance.

/**
 * Why the Kyma gets no Manifests and no certificate. undefined: the name is usable. These objects and the access Secret are found by a label with
 * the Kyma's name, and a label value has at most 63 characters.
 */
export const nameFault = ({ metadata: { name } }: Kyma): string | undefined =>
  isLabelValue(name)
    ? undefined
    : `the name of the Kyma has ${name.length} characters, but must have at most 63, because it is the value of a label of its access Secret and Manifests`

/** For example, `c-1234.kyma.example.com`. */
export const domainOf = ({ metadata }: Kyma): string | undefined =>
  metadata.annotations?.[kymaNames.annotations.skrDomain] || undefined

/** Why the certificate of the runtime cannot be ordered from an operator. */
export const domainMissing = `the Kyma has no annotation ${kymaNames.annotations.skrDomain}, which must contain the domain of its runtime`

/** The labels that identify the runtime in metrics. A value is empty if the Kyma does not have it. */
export const runtimeLabels = (kyma: Kyma): { shoot: string; instance_id: string } => ({
  shoot: domainOf(kyma)?.split('.')[0] ?? '',
  instance_id: kyma.metadata.labels?.[kymaNames.labels.instanceId] ?? '',
})

/**
 * The other Kyma in the same namespace that the copy names. Two Kymas may share a runtime only with different namespaces. Otherwise each Kyma
 * would revert the writes of the other. undefined: the copy names this Kyma, or no Kyma that can have a runtime.
 */
export const rivalNamed = (copy: KubeObject | undefined, kyma: Key): Key | undefined => {
  const note = copy?.metadata.annotations?.[kymaNames.annotations.ownedBy]
  if (note === undefined || note === keyText(kyma)) return undefined
  const [namespace = '', name = ''] = note.split('/')
  return namespace === kyma.namespace && name !== '' && isLabelValue(name) ? { namespace, name } : undefined
}

export const runtimeTaken = (rival: Key): string =>
  `Kyma ${keyText(rival)} has the same runtime and namespace, and owns the copy of the Kyma in the runtime`
