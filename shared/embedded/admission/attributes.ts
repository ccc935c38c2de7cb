// The input of admission: the parts of the cluster, one write, and the request in the form for webhooks and policies.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Authorization } from '../authorization/rbac.ts'
import { type User, userInfo } from '../identity/user.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import type { Store } from '../storage/store.ts'
import type { JsonMap } from '../value.ts'
import type { WebhookCaller } from './call-webhook.ts'

export type AdmissionParts = {
  readonly store: Store
  readonly registry: Registry
  readonly authorization: Authorization
  readonly caller: WebhookCaller
}

export type Attributes = {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  readonly kind: Kind
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  /** Absent on DELETE. */
  readonly object: KubeObject | undefined
  readonly before?: KubeObject
  readonly user: User
  readonly isDryRun: boolean
  readonly warnings: Set<string>
}

/** The name for the message of a refusal. A write with `generateName` has no name yet. */
export const refusedName = ({ name, object }: Attributes): string => name || object?.metadata.generateName || 'Unknown'

const optionsKind = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

const typeOf = ({ group, version, kind }: Kind): JsonMap => ({ group, version, kind })
const resourceOf = ({ group, version, plural }: Kind): JsonMap => ({ group, version, resource: plural })

/** The namespace of a write. A Namespace object counts as being in itself. */
export const namespaceOf = ({ kind, namespace, name }: Attributes): string => {
  if (kind.namespaced) return namespace
  return kind.collection === 'namespaces' ? name : ''
}

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
