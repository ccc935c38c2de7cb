// Kubeconfigs that garden-reconcile writes: one cluster, one user, and the context of both.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import { yamlOf } from '../../../../shared/core/yaml/write.ts'

export const kubeconfigText = (name: string, cluster: JsonMap, user: JsonMap): string =>
  yamlOf({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    users: [{ name, user }],
  })
