// The fields of a request that webhooks and policies see, without its objects.
import { userInfo } from '../identity/user.ts'
import type { Kind } from '../kinds/kind.ts'
import type { JsonMap } from '../value.ts'
import type { Attributes } from './attributes.ts'

const optionsKind = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

const typeOf = ({ group, version, kind }: Kind): JsonMap => ({ group, version, kind })
const resourceOf = ({ group, version, plural }: Kind): JsonMap => ({ group, version, resource: plural })

/** Where a request writes: namespaces count as being in themselves. */
export const namespaceOf = ({ kind, namespace, name }: Attributes): string => {
  if (kind.namespaced) return namespace
  return kind.collection === 'namespaces' ? name : ''
}

/** `kind`: the version of the kind in which the objects are shown. */
export const requestOf = (attributes: Attributes, kind: Kind): JsonMap => {
  const { kind: requested, operation, user, isDryRun, subresource, name } = attributes
  const namespace = namespaceOf(attributes)
  return {
    kind: typeOf(kind),
    resource: resourceOf(kind),
    ...(subresource && { subResource: subresource, requestSubResource: subresource }),
    requestKind: typeOf(requested),
    requestResource: resourceOf(requested),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun: isDryRun,
    options: { kind: optionsKind[operation], apiVersion: 'meta.k8s.io/v1', ...(isDryRun && { dryRun: ['All'] }) },
  }
}
