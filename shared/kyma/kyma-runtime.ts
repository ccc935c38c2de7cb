// Where the modules of a Kyma go, as its spec says.
import { kymaNames } from '../api/kyma/names.ts'
import { isLabelValue } from '../core/objects/label.ts'
import type { ClusterName } from '../core/objects/object.ts'
import type { Kyma } from './kinds.ts'

type Remote = NonNullable<Kyma['spec']['remote']>

/** `sync` is the former name of `remote`. */
export const remoteOf = ({ spec }: Kyma): Remote => spec.remote ?? spec.sync ?? {}

/** False: the modules are installed in the cluster of the Kyma itself. */
export const isRemote = (kyma: Kyma): boolean => remoteOf(kyma).enabled !== false

/** The namespace of copy, catalogue and default objects of modules in the runtime. */
export const syncNamespace = (kyma: Kyma): string => remoteOf(kyma).namespace || kymaNames.namespaces.runtime

/** The cluster that the access Secret of a Kyma leads to, as steps name it; `runtimes` is a group of remotes in serverless.yml. */
export const runtimeName = (kyma: string): ClusterName => `runtimes/${kyma}`

export const runtimeCrdNames = {
  kymas: 'kymas.operator.kyma-project.io',
  templates: 'moduletemplates.operator.kyma-project.io',
  releases: 'modulereleasemetas.operator.kyma-project.io',
} as const

// By which names people know the runtime of a Kyma: its domain, the shoot that the domain begins with, and its instance.

/** Why nothing can be made for the Kyma: its access Secret, Manifests and certificate are found by a label with its name. */
export const nameFault = ({ metadata: { name } }: Kyma): string | undefined =>
  isLabelValue(name)
    ? undefined
    : `the name of the Kyma has ${name.length} characters, and a label by which its access Secret and Manifests are found has room for 63`

/** Such as `c-1234.kyma.example.com`. */
export const domainOf = ({ metadata }: Kyma): string | undefined =>
  metadata.annotations?.[kymaNames.annotations.skrDomain] || undefined

/** Why an operator of certificates cannot be asked for that of the runtime. */
export const domainMissing = `the Kyma has no annotation ${kymaNames.annotations.skrDomain}, which names the domain of its runtime`

/** The labels that name the runtime in metrics; empty where the Kyma does not say. */
export const runtimeLabels = (kyma: Kyma): { shoot: string; instance_id: string } => ({
  shoot: domainOf(kyma)?.split('.')[0] ?? '',
  instance_id: kyma.metadata.labels?.[kymaNames.labels.instanceId] ?? '',
})
