// Nothing is created in a namespace that is not there or is being deleted; three namespaces are never deleted.
import { forbidden, notFound } from '../status.ts'
import type { Store } from '../storage/store.ts'
import { type Attributes, refusedName } from './attributes.ts'

const immortal = ['default', 'kube-system', 'kube-public']
const namespaces = { group: '', plural: 'namespaces', kind: 'Namespace' }

export const requireNamespace = (store: Store, attributes: Attributes): void => {
  const { operation, kind, namespace, subresource } = attributes
  if (operation !== 'CREATE' || !kind.namespaced || subresource) return
  const found = store.get('namespaces', namespace)
  if (!found) throw notFound(namespaces, namespace)
  if (!found.object.metadata.deletionTimestamp) return
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  throw forbidden(kind, refusedName(attributes), why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ])
}

export const refuseImmortal = ({ operation, kind, name }: Attributes): void => {
  if (operation === 'DELETE' && kind.collection === 'namespaces' && immortal.includes(name))
    throw forbidden(namespaces, name, 'this namespace may not be deleted')
}
