// Kinds that programs beside the Garden's operator serve: functions make and judge objects of them, the embedded cluster stands in.

/** Of etcd-druid. */
export const etcdKind = { apiVersion: 'druid.gardener.cloud/v1alpha1', kind: 'Etcd' } as const

/** Of gardener-resource-manager: objects in Secrets, which it applies. */
export const managedResourceKind = { apiVersion: 'resources.gardener.cloud/v1alpha1', kind: 'ManagedResource' } as const
