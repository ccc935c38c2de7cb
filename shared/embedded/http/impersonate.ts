// `kubectl --as`: acting as somebody else, for those who may.
import type { IncomingHttpHeaders } from 'node:http'
import type { Cluster } from '../cluster.ts'
import { authenticated, type User } from '../identity/user.ts'

const kindOf = (plural: string) => ({ group: '', version: 'v1', plural, kind: '' })

/** The user a request acts as. Throws Forbidden. */
export const impersonated = (cluster: Cluster, user: User, headers: IncomingHttpHeaders): User => {
  const name = headers['impersonate-user']
  if (typeof name !== 'string' || name === '') return user
  const asked = headers['impersonate-group']
  const groups = typeof asked === 'string' ? asked.split(',').map(group => group.trim()) : []
  const check = (plural: string, what: string) =>
    cluster.authorization.require(user, {
      verb: 'impersonate',
      kind: kindOf(plural),
      subresource: '',
      namespace: '',
      name: what,
    })
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(name)
  if (account)
    cluster.authorization.require(user, {
      verb: 'impersonate',
      kind: kindOf('serviceaccounts'),
      subresource: '',
      namespace: account[1] ?? '',
      name: account[2] ?? '',
    })
  else check('users', name)
  for (const group of groups) check('groups', group)
  const own =
    account && groups.length === 0 ? ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`] : groups
  return name === 'system:anonymous'
    ? { name, groups: ['system:unauthenticated'] }
    : authenticated({ name, groups: own })
}
