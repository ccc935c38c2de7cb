// Namespaces: our own, and those that access rules name, because a Role cannot be applied before its namespace.
import type { KubeObject } from '../../core/object.ts'
import { partLabels } from './conventions.ts'

/** Where the hosts and the relay run. Pods that ask for more than the restricted standard allows are refused. */
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

/** Nothing but the name: it belongs to those whose objects are in it, so it has no label by which we would delete it. */
export const foreignNamespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})
