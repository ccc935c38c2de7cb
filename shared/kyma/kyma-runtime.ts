// Where the modules of a Kyma go, as its spec says.
import { kymaNames } from '../api/kyma/names.ts'
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
