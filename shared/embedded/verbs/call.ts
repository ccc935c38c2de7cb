// One request for an object or a list, after it was routed, authenticated and authorized.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Cluster } from '../cluster.ts'
import type { User } from '../identity/user.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Stored } from '../storage/stored.ts'
import type { JsonMap } from '../value.ts'

export type Call = {
  readonly cluster: Cluster
  readonly user: User
  readonly kind: Kind
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  readonly query: URLSearchParams
  readonly contentType: string
  readonly body: string
  readonly userAgent: string
  /** Go into Warning headers. */
  readonly warnings: Set<string>
}

/** The answer of a verb; http/respond.ts writes it in the form that the caller accepts. */
export type Reply =
  | { is: 'stored'; code: number; kind: Kind; stored: Stored }
  | { is: 'object'; code: number; kind?: Kind; object: KubeObject | JsonMap }
  | { is: 'list'; kind: Kind; list: ListReply }

export type ListReply = {
  readonly items: readonly Stored[]
  readonly revision: number
  readonly continueToken?: string
  readonly remaining?: number
}
