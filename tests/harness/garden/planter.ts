// A user with few rights in namespace garden, who tries to plant Secrets there.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'

export const person = { fieldManager: 'person', force: true }

const rbac = { apiGroup: 'rbac.authorization.k8s.io' }

/** A client with these rights only. */
export const whoMay = async (
  admin: Client,
  name: string,
  verbs: readonly string[],
  resources: readonly string[] = ['secrets'],
): Promise<Client> => {
  const of = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name, namespace: 'garden' } }
  const rules = [{ apiGroups: [''], resources, verbs }]
  const roleRef = { ...rbac, kind: 'Role', name }
  await admin.apply({ ...of, kind: 'Role', rules } as KubeObject, person)
  const subjects = [{ ...rbac, kind: 'User', name }]
  await admin.apply({ ...of, kind: 'RoleBinding', roleRef, subjects } as KubeObject, person)
  return admin.bound({ impersonate: { user: name, groups: ['team'] } })
}

/** Tries to plant a copy of each Secret of a Garden, and one for adoption. Resolves to the names of the Secrets that were accepted. */
export const planted = async (planter: Client): Promise<string[]> => {
  const present = await planter.list({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'garden',
    labelSelector: generated,
  })
  const copies = present.map(({ metadata, ...content }) => ({ ...content, metadata: named(metadata.labels) }))
  const adopted = { apiVersion: 'v1', kind: 'Secret', metadata: named({ 'secrets-manager-use-data-for-name': 'ca' }) }
  const foreseen = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ca-client-3b1f0a9c', namespace: 'garden' } }
  const tried = [...copies, adopted, foreseen].map(secret =>
    planter.create(secret as KubeObject, person).then(
      ({ metadata }) => [metadata.name],
      () => [],
    ),
  )
  return (await Promise.all(tried)).flat()
}

const generated = 'manager-identity=gardener-operator'

const named = (labels: Readonly<Record<string, string>> | undefined) => ({
  generateName: 'planted-',
  namespace: 'garden',
  labels,
})
