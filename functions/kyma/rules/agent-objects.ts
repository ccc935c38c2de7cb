// References to all objects of the agent in a runtime (desired/agent/), for the deletion of the Kyma.
import type { ObjectRef } from '../../../shared/core/objects/object.ts'

type Row = {
  readonly apiVersion: string
  readonly kind: string
  readonly names: readonly string[]
  readonly isGlobal?: true
}

const rows: readonly Row[] = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    isGlobal: true,
    names: ['skr-webhook'],
  },
  { apiVersion: 'apps/v1', kind: 'Deployment', names: ['skr-webhook'] },
  { apiVersion: 'v1', kind: 'Service', names: ['skr-webhook', 'skr-webhook-metrics'] },
  { apiVersion: 'v1', kind: 'Secret', names: ['skr-webhook-tls'] },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    names: ['seed-to-watcher', 'watcher-to-apiserver', 'metrics-to-watcher', 'watcher-to-dns'].map(
      name => `kyma-project.io--${name}`,
    ),
  },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', names: ['skr-webhook'], isGlobal: true },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', names: ['skr-webhook'], isGlobal: true },
  { apiVersion: 'v1', kind: 'ServiceAccount', names: ['skr-webhook'] },
  { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', names: ['skr-webhook-priority'], isGlobal: true },
]

/** In the order of deletion: first what calls the agent. */
export const agentRefs = (namespace: string): readonly ObjectRef[] =>
  rows.flatMap(({ names, isGlobal, ...kind }) =>
    names.map(name => ({ ...kind, namespace: isGlobal ? '' : namespace, name })),
  )
