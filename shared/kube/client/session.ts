// What all verbs of a client share: how to reach its API server, the kinds discovered there, and the bounds of the current call.
import type { GroupVersionKind } from '../../core/objects/object.ts'
import type { KindScope } from '../client-types.ts'
import { type ApiRequest, type Call, sendRequest, type Transport } from '../connection/request.ts'
import type { Resource } from '../discovery/built-in-kinds.ts'
import { type Discovery, withResource } from '../discovery/discovery.ts'
import { isNotServed } from '../errors.ts'

export type Session = {
  readonly through: Transport
  readonly discovery: Discovery
  readonly call: Call
}

export const ask = ({ through, call }: Session, request: ApiRequest): Promise<unknown> => {
  const answer = sendRequest(through, request, call)
  const isRemote = through.receiving !== undefined
  return isRemote && call.outside ? call.outside(answer) : answer
}

export const onResource = <T>(
  session: Session,
  kind: GroupVersionKind,
  use: (resource: Resource) => Promise<T>,
): Promise<T> => {
  const fetch = (path: string) => ask(session, { verb: 'get', method: 'GET', path, repeatability: 'read' })
  return withResource(session.discovery, { kind, fetch }, use)
}

export const scopeOf = async (session: Session, kind: GroupVersionKind): Promise<KindScope> => {
  try {
    return await onResource(session, kind, async ({ namespaced }) => (namespaced ? 'namespaced' : 'cluster'))
  } catch (error) {
    if (isNotServed(error)) return 'unserved'
    throw error
  }
}
