// The runtime of a Kyma, the cluster of its modules, as kyma read it.
import type { ClusterName, KubeObject } from '../../../shared/core/objects/object.ts'
import type { Kyma, Watcher } from '../../../shared/kyma/kinds.ts'
import type { CertificateData } from '../desired/agent/agent.ts'

export type KymaRuntime =
  /** The modules are installed in the control plane's own cluster. */
  | { readonly is: 'off' }
  /** No access Secret leads to the runtime. */
  | { readonly is: 'unknown'; readonly fault: string }
  /** The access Secrets cannot be used. Only a person can help. */
  | { readonly is: 'refused'; readonly fault: string }
  /** The runtime does not answer, or refuses our reads. */
  | { readonly is: 'away'; readonly fault: string }
  /** Another Kyma has the runtime: nothing is written or deleted there. */
  | { readonly is: 'taken'; readonly fault: string }
  /** The runtime was in order a while ago, and no event came since: only the copy was read. */
  | { readonly is: 'inOrder'; readonly copy: Kyma }
  | RuntimeThere

export type RuntimeThere = {
  readonly is: 'there'
  readonly cluster: ClusterName
  readonly namespace?: KubeObject
  /** Existing definitions of the kinds that we bring. */
  readonly crds: readonly KubeObject[]
  /** Names of those definitions whose kinds the API server does not serve yet. */
  readonly unserved: readonly string[]
  readonly copy?: Kyma
  /** Our objects in the catalogue: ModuleTemplates and ModuleReleaseMetas with our field manager. */
  readonly catalogue: readonly KubeObject[]
  /** Other objects there, such as `ModuleTemplate kyma-system/own`; absent: too many to remember. */
  readonly catalogueOfOthers?: ReadonlySet<string>
  readonly pullSecret?: KubeObject
  /** Read while the agent is not known to run. */
  readonly agentPods?: readonly KubeObject[]
  /** The namespace of the agent, if another Kyma has it. */
  readonly agentElsewhere?: string
  /** Read when the Kyma is being deleted. */
  readonly leftovers?: Leftovers
}

/** The runtime is the control plane itself, whose definitions must stay: a definition has the same uid here and there. */
export const isControlPlane = ({ crds }: RuntimeThere, source: RuntimeSource): boolean =>
  crds.some(({ metadata: { uid } }) => uid !== undefined && source.crds.some(own => own.metadata.uid === uid))

export type Leftovers = {
  readonly otherCopies: readonly KubeObject[]
  readonly agent: readonly KubeObject[]
}

export type RuntimeSource = {
  readonly crds: readonly KubeObject[]
  /** The Secret for pulling images, if the installation names one and it exists. */
  readonly pullSecret?: KubeObject
  /** Absent: there is to be no agent. */
  readonly agent?: AgentSource
}

export type AgentSource = {
  /** Watchers without a fault that are not being deleted. One faulty entry would make an API server refuse all entries. */
  readonly watchers: readonly Watcher[]
  /** Absent until the certificate is created. */
  readonly certificate?: CertificateData
  /** Why no certificate is created. */
  readonly fault?: string
}
