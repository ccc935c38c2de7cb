// The facts about the runtime of a Kyma, which is the cluster of its modules.
import type { ClusterName, KubeObject } from '../../../shared/core/objects/object.ts'
import type { Kyma, Watcher } from '../../../shared/kyma/kinds.ts'
import type { CertificateData } from '../desired/agent/agent.ts'

export type KymaRuntime =
  /** The modules are installed in the control plane's own cluster. */
  | { readonly is: 'off' }
  /** No access Secret for the runtime exists. */
  | { readonly is: 'unknown'; readonly fault: string }
  /** The access Secrets cannot be used. Only a user can correct them. */
  | { readonly is: 'refused'; readonly fault: string }
  /** The runtime does not answer, or refuses our reads. */
  | { readonly is: 'away'; readonly fault: string }
  /** Another Kyma uses the runtime, so nothing is written or deleted in the runtime. */
  | { readonly is: 'taken'; readonly fault: string }
  /** The runtime was in order recently and no event came since, so only the copy was read. */
  | { readonly is: 'inOrder'; readonly copy: Kyma }
  | RuntimeThere

export type RuntimeThere = {
  readonly is: 'there'
  readonly cluster: ClusterName
  readonly namespace?: KubeObject
  /** Existing definitions of the kinds that Espalier installs. */
  readonly crds: readonly KubeObject[]
  /** Names of the definitions in `crds` whose kinds the API server does not serve yet. */
  readonly unserved: readonly string[]
  readonly copy?: Kyma
  /** Our objects in the catalogue: ModuleTemplates and ModuleReleaseMetas with our field manager. */
  readonly catalogue: readonly KubeObject[]
  /** Other objects of the catalogue's kinds, such as `ModuleTemplate kyma-system/own`. Absent: there are too many to remember. */
  readonly catalogueOfOthers?: ReadonlySet<string>
  readonly pullSecret?: KubeObject
  /** Pods of the agent, read while the agent is not known to run. */
  readonly agentPods?: readonly KubeObject[]
  /** The namespace of the agent, if the agent belongs to another Kyma. */
  readonly agentElsewhere?: string
  /** Read only when the Kyma is being deleted. */
  readonly leftovers?: Leftovers
}

/** Whether the runtime is the control plane itself, which shows in equal uids of a definition. The definitions must then stay. */
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
  /** Absent: the runtime gets no agent. */
  readonly agent?: AgentSource
}

export type AgentSource = {
  /** Watchers without a fault that are not being deleted. An API server would refuse all entries because of a single faulty entry. */
  readonly watchers: readonly Watcher[]
  /** Absent until the certificate is created. */
  readonly certificate?: CertificateData
  /** Why no certificate is created. */
  readonly fault?: string
}
