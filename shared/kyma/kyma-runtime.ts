// The runtime of a Kyma: where its modules are installed, and the names by which people know it.
import { kymaNames } from '../api/kyma/names.ts'
import { isLabelValue } from '../core/objects/label.ts'
import type { ClusterName } from '../core/objects/object.ts'
import type { Kyma } from './kinds.ts'

type Remote = NonNullable<Kyma['spec']['remote']>

/** `sync` is the former name of `remote`. */
export const remoteOf = ({ spec }: Kyma): Remote => spec.remote ?? spec.sync ?? {}

/** False: the modules are installed in the cluster of the Kyma itself. */
export const isRemote = (kyma: Kyma): boolean => remoteOf(kyma).enabled !== false

/** The namespace in the runtime that holds the copy of the Kyma, the catalogue, and default objects of modules. */
export const syncNamespace = (kyma: Kyma): string => remoteOf(kyma).namespace || kymaNames.namespaces.runtime

/**
 * The name of the Kyma's runtime in steps. `runtimes` is a group of remotes in serverless.yml; the access Secret of the Kyma leads to the cluster.
 */
export const runtimeName = (kyma: string): ClusterName => `runtimes/${kyma}`

export const runtimeCrdNames = {
  kymas: 'kymas.operator.kyma-project.io',
  templates: 'moduletemplates.operator.kyma-project.io',
  releases: 'modulereleasemetas.operator.kyma-project.io',
} as const

// The names by which people know the runtime of a Kyma: its domain, its shoot (the first part of the domain), and its instance.

/**
 * Why the Kyma gets no Manifests and no certificate; undefined if nothing is wrong. We find these objects and its access Secret by a label with its
 * name, and a label value has 63 characters at most.
 */
export const nameFault = ({ metadata: { name } }: Kyma): string | undefined =>
  isLabelValue(name)
    ? undefined
    : `the name of the Kyma has ${name.length} characters, but must have at most 63, because it is the value of a label of its access Secret and Manifests`

/** Such as `c-1234.kyma.example.com`. */
export const domainOf = ({ metadata }: Kyma): string | undefined =>
  metadata.annotations?.[kymaNames.annotations.skrDomain] || undefined

/** Why the certificate of the runtime cannot be ordered from an operator. */
export const domainMissing = `the Kyma has no annotation ${kymaNames.annotations.skrDomain}, which must contain the domain of its runtime`

/** The labels that name the runtime in metrics. A value is empty if the Kyma does not say it. */
export const runtimeLabels = (kyma: Kyma): { shoot: string; instance_id: string } => ({
  shoot: domainOf(kyma)?.split('.')[0] ?? '',
  instance_id: kyma.metadata.labels?.[kymaNames.labels.instanceId] ?? '',
})
