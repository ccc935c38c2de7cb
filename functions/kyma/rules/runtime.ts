// The runtime of a Kyma, which is the cluster of its modules, as kyma read it.
import type { ClusterName, KubeObject } from '../../../shared/core/objects/object.ts'
import type { Kyma, Watcher } from '../../../shared/kyma/kinds.ts'
import type { CertificateData } from '../desired/agent/agent.ts'

/** `fault`: the message about it. */
export type KymaRuntime =
  /** The modules are installed in the control plane's own cluster. */
  | { readonly is: 'off' }
  /** No access Secret leads to it. */
  | { readonly is: 'unknown'; readonly fault: string }
  /** The access Secrets cannot be used as they are: only a person can help. */
  | { readonly is: 'refused'; readonly fault: string }
  /** It does not answer, or does not let us in. */
  | { readonly is: 'away'; readonly fault: string }
  /** Another Kyma has it: nothing is written there, and nothing taken away. */
  | { readonly is: 'taken'; readonly fault: string }
  /** It was in order a while ago, and no event came since: of what is there only the copy was read. */
  | { readonly is: 'inOrder'; readonly copy: Kyma }
  | RuntimeThere

export type RuntimeThere = {
  readonly is: 'there'
  readonly cluster: ClusterName
  readonly namespace?: KubeObject
  /** The definitions of the kinds that we bring, as far as they are there. */
  readonly crds: readonly KubeObject[]
  /** The names of those whose kinds the API server does not serve yet. */
  readonly unserved: readonly string[]
  readonly copy?: Kyma
  /** What we put into the catalogue: ModuleTemplates and ModuleReleaseMetas that bear our field manager. */
  readonly catalogue: readonly KubeObject[]
  /** What is beside it, such as `ModuleTemplate kyma-system/own`; absent: too many to remember. */
  readonly catalogueOfOthers?: ReadonlySet<string>
  readonly pullSecret?: KubeObject
  /** Read while the agent is not known to run. */
  readonly agentPods?: readonly KubeObject[]
  /** The namespace of another Kyma in the same runtime, if the agent is there. */
  readonly agentElsewhere?: string
  /** Read when the Kyma is being deleted. */
  readonly leftovers?: Leftovers
}

/** The runtime is the control plane itself, whose own definitions must stay: one of them is the same object here and there. */
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
  /** Absent where there is to be no agent. */
  readonly agent?: AgentSource
}

export type AgentSource = {
  /** Those that are not being deleted and have no fault, for which an API server would refuse all entries. */
  readonly watchers: readonly Watcher[]
  /** Absent until it is made. */
  readonly certificate?: CertificateData
  /** Why nobody makes one. */
  readonly fault?: string
}
