// One request for an object or a list, after routing, authentication and authorization.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Attributes } from '../admission/attributes.ts'
import type { Cluster } from '../cluster.ts'
import type { User } from '../identity/user.ts'
import { type Kind, storageKey } from '../kinds/kind.ts'
import { notFound } from '../status.ts'
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
  readonly warnings: Set<string>
}

export const currentOf = ({ cluster, kind, namespace, name }: Call): Stored | undefined =>
  cluster.store.get(kind.collection, storageKey(kind, namespace, name))

export const existing = (call: Call): Stored => {
  const current = currentOf(call)
  if (!current) throw notFound(call.kind, call.name)
  return current
}

/** http/respond.ts writes the reply in the form that the client accepts. */
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

type Admitted = Omit<Attributes, 'object' | 'before'>

export const attributesOf = (
  { kind, subresource, namespace, name, user, warnings }: Call,
  operation: Attributes['operation'],
  { isDryRun }: { readonly isDryRun: boolean },
): Admitted & { object: undefined; before: undefined } => ({
  operation,
  kind,
  subresource,
  namespace,
  name,
  user,
  isDryRun,
  warnings,
  object: undefined,
  before: undefined,
})
