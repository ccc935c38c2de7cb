// Shared by all verbs of a client: connections, discovered kinds, and the bounds of the current call.
import { isPathSegment } from '../../core/objects/dns-name.ts'
import { type GroupVersionKind, type ObjectRef, refText } from '../../core/objects/object.ts'
import type { KindScope, Outside } from '../client-types.ts'
import { type ApiRequest, type Call, sendRequest, type Transport } from '../connection/request.ts'
import { type Discovery, type Resource, withResource } from '../discovery.ts'
import { ApiError, isNotServed, nothingIf } from '../errors.ts'

export type Session = {
  readonly through: Transport
  readonly discovery: Discovery
  readonly call: Call
}

export const ask = (session: Session, request: ApiRequest): Promise<unknown> => {
  const answer = sendRequest(session.through, request, session.call)
  return outsideOf(session)?.(answer) ?? answer
}

/** undefined for the local cluster. */
const outsideOf = ({ through, call }: Session): Outside | undefined =>
  through.receiving === undefined ? undefined : call.outside

export const onResource = <T>(
  session: Session,
  kind: GroupVersionKind,
  use: (resource: Resource) => Promise<T>,
): Promise<T> => {
  const fetch = (path: string) => ask(session, { verb: 'get', method: 'GET', path, repeatability: 'read' })
  return withResource(session.discovery, { kind, fetch, outside: outsideOf(session) }, use)
}

export const scopeOf = async (session: Session, kind: GroupVersionKind): Promise<KindScope> => {
  const read = onResource<KindScope>(session, kind, async ({ namespaced }) => (namespaced ? 'namespaced' : 'cluster'))
  return (await read.catch(nothingIf(isNotServed))) ?? 'unserved'
}

// Builds paths and queries of the Kubernetes API. A name such as `../secrets/x` would lead to another object and is refused, because users
// write such names into specs.
export const collectionPath = ({ root, plural, namespaced }: Resource, namespace?: string): string =>
  namespaced && namespace ? `${root}/namespaces/${segment(namespace)}/${plural}` : `${root}/${plural}`

/** The path for creating an object. Throws an ApiError when the namespace is missing. */
export const homePath = (resource: Resource, ref: ObjectRef): string => {
  if (resource.namespaced && !ref.namespace) throw badRequest(`${refText(ref)} needs a namespace`)
  return collectionPath(resource, ref.namespace)
}

export const objectPath = (resource: Resource, ref: ObjectRef, subresource?: string): string => {
  const path = `${homePath(resource, ref)}/${segment(ref.name)}`
  return subresource ? `${path}/${segment(subresource)}` : path
}

/** `?a=b&c=d` without undefined values; '' when all values are undefined. */
export const queryText = (parameters: Record<string, string | number | boolean | undefined>): string => {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  if (given.length === 0) return ''
  return `?${given.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`
}

const plain = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/

const segment = (text: string): string => {
  if (plain.test(text)) return text
  if (!isPathSegment(text)) throw badRequest(`"${text}" cannot be a name in a path`)
  return encodeURIComponent(text)
}

const badRequest = (message: string): ApiError => new ApiError({ code: 400, reason: 'BadRequest', message })
