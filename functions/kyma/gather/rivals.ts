// Reads whether the agent of a runtime is another Kyma's: two Kymas with namespaces of their own may share a runtime, but its objects are
// one for the whole cluster.
import { isText, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { isSubdomain } from '../../../shared/core/objects/dns-name.ts'
import type { ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { readCopy } from '../../../shared/runtime/rivals.ts'
import { agentName } from '../desired/agent/agent.ts'

/** Those of the agent's objects that are one for the whole cluster and name its namespace. */
const agentWide: readonly ObjectRef[] = [
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' },
  { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' },
].map(kind => ({ ...kind, namespace: '', name: agentName }))

/** The copy of a Kyma in the namespace where the agent of the runtime is, if that is not this Kyma's. */
export const copyWithAgent = async (kyma: Kyma, client: Reads): Promise<Kyma | undefined> => {
  const namespace = await agentNamespace(client)
  return namespace === undefined || namespace === syncNamespace(kyma) ? undefined : readCopy(client, namespace)
}

/**
 * The namespace of the agent's account. Agents of the Go operator have no account: theirs is that of the Service which each entry of the
 * configuration calls, and there are entries only while there are Watchers.
 */
const agentNamespace = async (client: Reads): Promise<string | undefined> => {
  const [binding, configuration] = await Promise.all(agentWide.map(ref => client.get(ref)))
  const [account] = mapsIn(binding?.subjects)
  const [entry] = mapsIn(configuration?.webhooks)
  const found = [account?.namespace, mapOrEmpty(mapOrEmpty(entry?.clientConfig).service).namespace]
  return found.filter(isText).find(isSubdomain)
}
