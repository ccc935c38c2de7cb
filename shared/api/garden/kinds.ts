// Kinds of other programs in a Garden. Functions write and read objects of these kinds; the embedded cluster emulates the programs.

/** Kind of etcd-druid. */
export const etcdKind = { apiVersion: 'druid.gardener.cloud/v1alpha1', kind: 'Etcd' } as const

/** Kind of gardener-resource-manager, which applies objects in Secrets. */
export const managedResourceKind = { apiVersion: 'resources.gardener.cloud/v1alpha1', kind: 'ManagedResource' } as const
