// What admission is told about a write.
import type { KubeObject } from '../../core/objects/object.ts'
import type { User } from '../identity/user.ts'
import type { Kind } from '../kinds/kind.ts'

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

/** What a refusal calls the object: names that are made come only after it. */
export const refusedName = ({ name, object }: Attributes): string => name || object?.metadata.generateName || 'Unknown'
