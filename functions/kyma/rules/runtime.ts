// The facts about the runtime of a Kyma, which is the cluster of its modules: which kinds it serves, and the health of its agent.
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { conditionOf, isTrue } from '../../../shared/core/objects/condition.ts'
import { type ClusterName, isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Kyma, Watcher } from '../../../shared/kyma/kinds.ts'
import { runtimeCrdNames } from '../../../shared/kyma/kyma-runtime.ts'
import type { CertificateData } from '../desired/agent.ts'

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

/**
 * The API server serves a kind some time after its definition is established, without an event. If a user changed the definition, our version
 * may no longer be served. `name`: the name of the definition, such as `kymas.operator.kyma-project.io`.
 */
export const isServed = (runtime: Pick<RuntimeThere, 'crds' | 'unserved'>, name: string): boolean =>
  isEstablished(runtime, name) && !runtime.unserved.includes(name)

/** The definition is established, so the API server will serve its kind. */
export const isEstablished = ({ crds }: Pick<RuntimeThere, 'crds'>, name: string): boolean => {
  const crd = crds.find(({ metadata }) => metadata.name === name)
  return crd !== undefined && !isDeleting(crd) && isTrue(conditionOf(crd, 'Established'))
}

/** The copy cannot be read although its definition exists. The desired modules are unknown until the kind is served. */
export const isCopyHidden = ({ kyma, runtime }: { readonly kyma: Kyma; readonly runtime: KymaRuntime }): boolean =>
  runtime.is === 'there' &&
  !isDeleting(kyma) &&
  (kyma.status?.conditions ?? []).length > 0 &&
  runtime.unserved.includes(runtimeCrdNames.kymas) &&
  runtime.crds.some(({ metadata }) => metadata.name === runtimeCrdNames.kymas)

/** `broken`: the Pods do not run, and a user must find out why. */
type AgentHealth = { readonly is: 'ready' | 'starting' } | { readonly is: 'broken'; readonly why: string }

/** One ready replica is enough. */
export const agentHealth = (deployment: KubeObject | undefined, pods: readonly KubeObject[]): AgentHealth => {
  const { readyReplicas } = mapOrEmpty(deployment?.status)
  if (typeof readyReplicas === 'number' && readyReplicas > 0) return { is: 'ready' }
  const [why] = pods.flatMap(faultsOf)
  return why === undefined ? { is: 'starting' } : { is: 'broken', why }
}

/** Reasons of waiting containers that only a user can fix. */
const hopeless = [
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'CreateContainerConfigError',
]

const faultsOf = ({ metadata, status }: KubeObject): string[] => {
  const { initContainerStatuses, containerStatuses } = mapOrEmpty(status)
  return [initContainerStatuses, containerStatuses].flatMap(mapsIn).flatMap(({ state }) => {
    const { reason } = mapOrEmpty(mapOrEmpty(state).waiting)
    return hopeless.some(word => word === reason) ? [`Pod ${metadata.name}: ${reason}`] : []
  })
}
