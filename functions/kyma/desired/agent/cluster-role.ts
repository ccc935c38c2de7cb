// What the agent may read: its own ValidatingWebhookConfiguration, and what the Watchers name.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { type Agent, agentMetadata, agentName } from './agent.ts'

const apiGroup = 'rbac.authorization.k8s.io'
/** To watch is all that it does. Of Secrets it asks for metadata only, which RBAC cannot tell from the whole. */
const verbs = ['list', 'watch']

export const clusterRole = ({ watchers }: Agent): KubeObject => ({
  apiVersion: `${apiGroup}/v1`,
  kind: 'ClusterRole',
  metadata: agentMetadata(agentName),
  rules: [
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['validatingwebhookconfigurations'],
      resourceNames: [agentName],
      verbs,
    },
    ...watchedResources(watchers).map(([group, resources]) => ({ apiGroups: [group], resources, verbs })),
  ],
})

/** The resources by their group, in a fixed order. */
const watchedResources = (watchers: Agent['watchers']): [string, string[]][] => {
  const watched = watchers.map(({ spec }) => spec.resourceToWatch)
  return [...Map.groupBy(watched, ({ group }) => group)]
    .map(([group, some]): [string, string[]] => [group, [...new Set(some.map(({ resource }) => resource))].sort()])
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

export const clusterRoleBinding = ({ namespace }: Agent): KubeObject => ({
  apiVersion: `${apiGroup}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: agentMetadata(agentName),
  roleRef: { apiGroup, kind: 'ClusterRole', name: agentName },
  subjects: [{ kind: 'ServiceAccount', name: agentName, namespace }],
})
