// Reads whether another Kyma has the same runtime. Two may share one in namespaces of their own, but neither a copy nor the agent, whose
// objects are one for the whole cluster: they would undo each other's writes for ever.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import { isText, mapOrEmpty, mapsIn } from '../../../shared/core/json.ts'
import { isDeleting, keyOf, keyText, type ObjectRef } from '../../../shared/core/object.ts'
import type { Client, Reads } from '../../../shared/kube/client-types.ts'
import { getIfServed, reading } from '../../../shared/kube/reading.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { runtimeName, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { agentName } from '../desired/agent/agent.ts'

type Looking = Pick<GatherContext, 'reads' | 'clusters'> & { readonly client: Client; readonly copy: Kyma | undefined }

/**
 * The key of another living Kyma that has this copy. Whoever owns the runtime can write any name into it, so it counts only if that
 * Kyma's access Secret leads to the same cluster.
 */
export const rivalOf = async (kyma: Kyma, { copy, reads, clusters, client }: Looking): Promise<string | undefined> => {
  const note = copy?.metadata.annotations?.[kymaNames.annotations.ownedBy]
  if (note === undefined || note === keyText(keyOf(kyma))) return undefined
  const [namespace = '', name = ''] = note.split('/')
  if (namespace !== kyma.metadata.namespace || name === '') return undefined
  const other = await reading(reads.get({ ...kymaKind, namespace, name }, { metadataOnly: true }))
  if (!('read' in other) || other.read === undefined || isDeleting(other.read)) return undefined
  const theirs = await reading(clusters.of(runtimeName(name)).then(uidOf))
  return 'read' in theirs && theirs.read === (await uidOf(client)) ? note : undefined
}

const uidOf = async (cluster: Pick<Reads, 'get'>): Promise<string | undefined> =>
  (await cluster.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'kube-system' }))?.metadata.uid

/** Those of the agent's objects that are one for the whole cluster and name its namespace. */
const agentWide: readonly ObjectRef[] = [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
  { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
].map(kind => ({ ...kind, namespace: '', name: agentName }))

/** The namespace of another Kyma's copy, if the agent of the runtime is there. */
export const agentElsewhere = async (kyma: Kyma, client: Reads): Promise<string | undefined> => {
  const namespace = await agentNamespace(client)
  if (namespace === undefined || namespace === syncNamespace(kyma)) return undefined
  const copy = await getIfServed(client, { ...kymaKind, namespace, name: kymaNames.copyName })
  return copy && namespace
}

/** Where the agent's account is. Agents of the Go operator have none: where they are called is in each entry, while there are Watchers. */
const agentNamespace = async (client: Reads): Promise<string | undefined> => {
  const [binding, configuration] = await Promise.all(agentWide.map(ref => client.get(ref)))
  const [account] = mapsIn(binding?.subjects)
  const [entry] = mapsIn(configuration?.webhooks)
  const found = [account?.namespace, mapOrEmpty(mapOrEmpty(entry?.clientConfig).service).namespace]
  return found.find(isText)
}
