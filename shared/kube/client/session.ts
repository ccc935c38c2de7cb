// What the verbs of the client share: the way to one API server, what is known of its kinds, and the call they act for.
import type { GroupVersionKind } from '../../core/object.ts'
import type { KindScope } from '../client-types.ts'
import { type Ask, type Call, type Exchange, exchange } from '../connection/request.ts'
import type { Resource } from '../discovery/built-in-kinds.ts'
import { type Discovery, withResource } from '../discovery/discovery.ts'
import { isNotServed } from '../errors.ts'

export type Session = {
  readonly through: Exchange
  readonly discovery: Discovery
  readonly call: Call
}

export const ask = (session: Session, request: Ask): Promise<unknown> =>
  exchange(session.through, request, session.call)

/** Does `use` with the path of a kind; see discovery.ts. */
export const onResource = <T>(
  session: Session,
  kind: GroupVersionKind,
  use: (resource: Resource) => Promise<T>,
): Promise<T> => {
  const fetch = (path: string) => ask(session, { verb: 'get', method: 'GET', path, repeatability: 'read' })
  return withResource(session.discovery, { kind, fetch }, use)
}

/** Where the kind's objects live, as discovery says. */
export const scopeOf = async (session: Session, kind: GroupVersionKind): Promise<KindScope> => {
  try {
    return await onResource(session, kind, async ({ namespaced }) => (namespaced ? 'namespaced' : 'cluster'))
  } catch (error) {
    if (isNotServed(error)) return 'unserved'
    throw error
  }
}
