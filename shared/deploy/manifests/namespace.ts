// Namespaces: our own, and those of access rules, because a Role needs its namespace.
import type { KubeObject } from '../../core/objects/object.ts'
import { partLabels } from './conventions.ts'

/** The namespace of hosts and relay. It refuses Pods beyond the restricted Pod Security standard. */
export const ownNamespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name,
    labels: {
      ...partLabels,
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/enforce-version': 'latest',
      'pod-security.kubernetes.io/warn': 'restricted',
      'pod-security.kubernetes.io/audit': 'restricted',
    },
  },
})

/** A namespace that belongs to others: without our label, so that deleting our objects does not delete it. */
export const foreignNamespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})
