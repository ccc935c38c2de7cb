// Namespaces: our own namespace, and the namespaces of access rules, because Roles need their namespaces.
import type { KubeObject } from '../../core/objects/object.ts'
import { partLabels } from './conventions.ts'

/** The namespace of hosts and relay. The namespace enforces the restricted Pod Security standard. */
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

/** A namespace of another program. It does not have our labels, so that deleting our objects does not delete the namespace. */
export const foreignNamespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})
