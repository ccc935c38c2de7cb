// What kyma knows of the runtime of a Kyma: the cluster that its modules are for.
import type { ClusterName, KubeObject } from '../../../shared/core/object.ts'
import type { Kyma, Watcher } from '../../../shared/kyma/kinds.ts'
import type { CertificateData } from '../desired/agent/agent.ts'

/** `fault`: what is told of it. */
export type KymaRuntime =
  /** The modules are installed in the control plane's own cluster. */
  | { readonly is: 'off' }
  /** No access Secret leads to it. */
  | { readonly is: 'unknown'; readonly fault: string }
  /** The access Secrets cannot be used as they are: only a person can help. */
  | { readonly is: 'refused'; readonly fault: string }
  /** It does not answer, or does not let us in. */
  | { readonly is: 'away'; readonly fault: string }
  | RuntimeThere

/** A runtime that answers, and what was read there. */
export type RuntimeThere = {
  readonly is: 'there'
  readonly cluster: ClusterName
  /** It is the control plane itself, whose own definitions must stay. */
  readonly isControlPlane: boolean
  /** The namespace of copy and catalogue. */
  readonly namespace?: KubeObject
  /** The definitions of the kinds that we bring, as far as they are there. */
  readonly crds: readonly KubeObject[]
  readonly copy?: Kyma
  /** What we put into the catalogue: ModuleTemplates and ModuleReleaseMetas that bear our field manager. */
  readonly catalogue: readonly KubeObject[]
  /** The copy of the Secret for pulling images. */
  readonly pullSecret?: KubeObject
  /** Read while the agent is not known to run. */
  readonly agentPods?: readonly KubeObject[]
  /** Read when the Kyma is being deleted. */
  readonly leftovers?: Leftovers
}

/** What the deletion of a Kyma has to reckon with. */
export type Leftovers = {
  /** Copies there that belong to other Kymas. */
  readonly otherCopies: readonly KubeObject[]
  /** The objects of the agent. */
  readonly agent: readonly KubeObject[]
}

/** What the control plane has for every runtime. */
export type RuntimeSource = {
  /** The definitions of the kinds that a runtime gets. */
  readonly crds: readonly KubeObject[]
  /** The Secret for pulling images, if the installation names one and it exists. */
  readonly pullSecret?: KubeObject
  /** Absent where there is to be no agent. */
  readonly agent?: AgentSource
}

/** What the agent in a runtime is made of. */
export type AgentSource = {
  /** Those that are not being deleted. */
  readonly watchers: readonly Watcher[]
  /** Absent until it is made. */
  readonly certificate?: CertificateData
}

/** The names of the definitions that a runtime gets. */
export const runtimeCrdNames = {
  kymas: 'kymas.operator.kyma-project.io',
  templates: 'moduletemplates.operator.kyma-project.io',
  releases: 'modulereleasemetas.operator.kyma-project.io',
} as const
