// Inputs of admission: its cluster and one write.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Authorization } from '../authorization/rbac.ts'
import type { User } from '../identity/user.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import type { Store } from '../storage/store.ts'
import type { WebhookCaller } from './call-webhook.ts'

/** The cluster as admission sees it. */
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
  /** Undefined on DELETE. */
  readonly object: KubeObject | undefined
  readonly before?: KubeObject
  readonly user: User
  readonly isDryRun: boolean
  readonly warnings: Set<string>
}

/** The object's name in a refusal. Generated names do not exist yet at that point. */
export const refusedName = ({ name, object }: Attributes): string => name || object?.metadata.generateName || 'Unknown'
