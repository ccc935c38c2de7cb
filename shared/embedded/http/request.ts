// Parts of a request: its path, its body within the API server's limits, and the user that it impersonates (`kubectl --as`).
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { gunzip } from 'node:zlib'
import type { Cluster } from '../cluster.ts'
import { authenticated, type User } from '../identity/user.ts'
import { badRequest, tooLarge } from '../status.ts'

const mostBytes = 3 * 1024 * 1024

export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > mostBytes) throw tooLarge(`limit is ${mostBytes}`)
  const parts: Buffer[] = []
  let size = 0
  // The rest of a too large body is read and dropped, so that the next request on the connection can be read.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length
    if (size > mostBytes) throw tooLarge(`limit is ${mostBytes}`)
    parts.push(part)
  }
  const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  return request.headers['content-encoding'] === 'gzip' ? unzipped(bytes) : bytes
}

const unzipped = (bytes: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    gunzip(bytes, { maxOutputLength: mostBytes }, (error, result) => {
      if (!error) resolve(result)
      else reject(error.name === 'RangeError' ? tooLarge(`limit is ${mostBytes}`) : badRequest(error.message))
    })
  })

export type ResourcePath = {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string
  readonly name: string
  readonly subresource: string
  readonly isWatch: boolean
}

export const resourcePath = (path: string): ResourcePath | undefined => {
  const parts = path.split('/').slice(1)
  if (parts.at(-1) === '') parts.pop()
  const isCore = parts[0] === 'api'
  if (!isCore && parts[0] !== 'apis') return undefined
  const [group = '', version = '', ...given] = isCore ? ['', ...parts.slice(1)] : parts.slice(1)
  const isWatch = given[0] === 'watch'
  const rest = isWatch ? given.slice(1) : given
  if (!version || rest.length === 0) return undefined
  return { group, version, isWatch, ...below(rest) }
}

const namespaceSubresources = ['status', 'finalize']

const below = (parts: string[]): Pick<ResourcePath, 'plural' | 'namespace' | 'name' | 'subresource'> => {
  const [first = '', second = '', third = ''] = parts.map(decoded)
  const isInNamespace = first === 'namespaces' && third !== '' && !namespaceSubresources.includes(third)
  const [plural = '', name = '', ...sub] = isInNamespace ? parts.slice(2).map(decoded) : parts.map(decoded)
  const namespace = isInNamespace ? second : ''
  return { plural, name, namespace, subresource: sub.join('/') }
}

const decoded = (part: string): string => {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export type Exchange = {
  readonly cluster: Cluster
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export const queryOf = ({ url = '/' }: IncomingMessage): URLSearchParams => {
  const split = url.indexOf('?')
  return new URLSearchParams(split === -1 ? '' : url.slice(split + 1))
}

export const impersonated = (cluster: Cluster, user: User, headers: IncomingHttpHeaders): User => {
  const name = headers['impersonate-user']
  if (typeof name !== 'string' || name === '') return user
  const asked = headers['impersonate-group']
  const groups = typeof asked === 'string' ? asked.split(',').map(group => group.trim()) : []
  const check = (plural: string, name: string, namespace = '') => {
    const kind = { group: '', version: 'v1', plural, kind: '' }
    cluster.authorization.require(user, { verb: 'impersonate', kind, subresource: '', namespace, name })
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name)
  if (account) check('serviceaccounts', account[2] ?? '', account[1])
  else check('users', name)
  for (const group of groups) check('groups', group)
  const own =
    account && groups.length === 0 ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : groups
  return name === 'system:anonymous'
    ? { name, groups: ['system:unauthenticated'] }
    : authenticated({ name, groups: own })
}
