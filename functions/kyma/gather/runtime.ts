// Reads the runtime of a Kyma, everything at once. A runtime that cannot be read is an answer too: what is wrong with it.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import { errorText } from '../../../shared/core/error-text.ts'
import { isMap } from '../../../shared/core/json.ts'
import { isDeleting, type KubeObject, type ObjectRef } from '../../../shared/core/object.ts'
import type { Client, Reads } from '../../../shared/kube/client-types.ts'
import { AccessError } from '../../../shared/kube/errors.ts'
import { getIfServed, listIfServed } from '../../../shared/kube/reading.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { isRemote, runtimeName, syncNamespace } from '../../../shared/kyma/remote.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { clusterUidOf } from '../../../shared/runtime/process-memory.ts'
import { agentName } from '../desired/agent/agent.ts'
import { agentRefs } from '../rules/agent-objects.ts'
import {
  type KymaRuntime,
  type Leftovers,
  type RuntimeSource,
  type RuntimeThere,
  runtimeCrdNames,
} from '../rules/runtime.ts'
import { gatherAgentSource } from './agent.ts'

type Context = Pick<GatherContext, 'clusters' | 'memory' | 'installation'>

export const gatherRuntime = async (kyma: Kyma, context: Context): Promise<KymaRuntime> => {
  if (!isRemote(kyma)) return { is: 'off' }
  const reached = await reach(kyma, context)
  if ('is' in reached) return reached
  try {
    return await readRuntime(kyma, reached, context)
  } catch (error) {
    return { is: isRefused(error) ? 'refused' : 'away', fault: `the runtime cannot be read: ${faultText(error)}` }
  }
}

/** Only here a missing Secret means that there is none: afterwards AccessErrors are about the address in it. */
const reach = async (kyma: Kyma, { clusters }: Context): Promise<Client | KymaRuntime> => {
  try {
    return await clusters.of(runtimeName(kyma.metadata.name))
  } catch (error) {
    if (!(error instanceof AccessError)) throw error
    return { is: isRefused(error) ? 'refused' : 'unknown', fault: error.message }
  }
}

/** Access Secrets are written by operators of the control plane, so the host in one may be told. */
const faultText = (error: unknown): string =>
  error instanceof AccessError && error.host !== undefined ? `${error.message}: ${error.host}` : errorText(error)

const isRefused = (error: unknown): boolean => error instanceof AccessError && error.reason === 'Refused'

const readRuntime = async (kyma: Kyma, client: Client, context: Context): Promise<RuntimeThere> => {
  const namespace = syncNamespace(kyma)
  const { pullSecret: secret } = context.installation.kyma
  const [isControlPlane, there, crds, copy, catalogue, pullSecret, agentPods, leftovers] = await Promise.all([
    isOwnCluster(client, context),
    client.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: namespace }),
    readCrds(client),
    getIfServed(client, copyRef(namespace)),
    readCatalogue(client, namespace),
    secret === undefined ? undefined : client.get({ ...secretKind, namespace, name: secret }),
    needsAgentPods(kyma, context) ? client.list(agentPodsIn(namespace)) : undefined,
    isDeleting(kyma) ? readLeftovers(client, namespace) : undefined,
  ])
  return {
    ...{ is: 'there', cluster: runtimeName(kyma.metadata.name), isControlPlane, crds, catalogue },
    ...(there && { namespace: there }),
    ...(copy && { copy: copy as Kyma }),
    ...(pullSecret && { pullSecret }),
    ...(agentPods && { agentPods }),
    ...(leftovers && { leftovers }),
  }
}

/** While it runs, nobody asks for its Pods. */
const needsAgentPods = (kyma: Kyma, { installation }: Context): boolean =>
  installation.kyma.agent !== undefined && !isDeleting(kyma) && !hasRunningAgent(kyma)

const hasRunningAgent = ({ status }: Kyma): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'SKRWebhook' && status === 'True') ?? false

const agentPodsIn = (namespace: string) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', namespace },
  labelSelector: `app=${agentName}`,
})

const secretKind = { apiVersion: 'v1', kind: 'Secret' }

const copyRef = (namespace: string): ObjectRef => ({ ...kymaKind, namespace, name: kymaNames.copyName })

const isOwnCluster = async (client: Client, { clusters, memory }: Context): Promise<boolean> => {
  const [own, there] = await Promise.all([
    clusters.of('local').then(local => memory.clusterUid(local)),
    clusterUidOf(client),
  ])
  return there === own
}

/** What the control plane has for its runtimes. */
export const gatherRuntimeSource = async (
  kyma: Kyma,
  { reads, installation }: Pick<GatherContext, 'reads' | 'installation'>,
): Promise<RuntimeSource> => {
  if (!isRemote(kyma)) return { crds: [] }
  const { pullSecret: name } = installation.kyma
  const namespace = kymaNames.namespaces.controlPlane
  const [crds, pullSecret, agent] = await Promise.all([
    readCrds(reads),
    name === undefined ? undefined : reads.get({ ...secretKind, namespace, name }),
    gatherAgentSource(kyma, { reads, installation }),
  ])
  return { crds, ...(pullSecret && { pullSecret }), ...(agent && { agent }) }
}

const readCrds = async (reads: Reads): Promise<readonly KubeObject[]> => {
  const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', namespace: '' }
  const crds = await Promise.all(Object.values(runtimeCrdNames).map(name => reads.get({ ...kind, name })))
  return crds.flatMap(crd => crd ?? [])
}

/** Field managers are forgotten once they have told what is ours. */
const readCatalogue = async (client: Client, namespace: string): Promise<readonly KubeObject[]> => {
  const query = { namespace, withManagedFields: true, keep: ofCatalogue }
  const [templates, metas] = await Promise.all([
    listIfServed(client, { ...moduleTemplateKind, ...query }),
    listIfServed(client, { ...moduleReleaseMetaKind, ...query }),
  ])
  return [...(templates ?? []), ...(metas ?? [])]
}

const ofCatalogue = (object: KubeObject): KubeObject | undefined => {
  const { managedFields = [], ...metadata } = object.metadata
  const isOurs = managedFields.some(entry => isMap(entry) && entry.manager === kymaNames.fieldManagers.catalogue)
  return isOurs ? { ...object, metadata } : undefined
}

const readLeftovers = async (client: Client, namespace: string): Promise<Leftovers> => {
  const [kymas, agent] = await Promise.all([
    listIfServed(client, { ...kymaKind, metadataOnly: true }),
    Promise.all(agentRefs(namespace).map(ref => getIfServed(client, ref))),
  ])
  const isOther = ({ metadata }: KubeObject) => metadata.namespace !== namespace || metadata.name !== kymaNames.copyName
  return { otherCopies: (kymas ?? []).filter(isOther).filter(isCopy), agent: agent.flatMap(object => object ?? []) }
}

/** Where the runtime is the control plane itself, there are Kymas that are no copies. */
const isCopy = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.[kymaNames.labels.managedBy] !== kymaNames.managedBy.controlPlane
