// The verbs of RBAC and discovery by HTTP method, and the review kinds.
import type { KubeObject } from '../../core/objects/object.ts'
import { ownedAfterUpdate } from '../apply/ownership.ts'
import { traitsOf } from '../builtin/traits.ts'
import type { ResourcePath } from '../http/request.ts'
import { type User, userInfo } from '../identity/user.ts'
import { badRequest, type FieldFault, faultsIn, invalid, invalidValue, required } from '../status.ts'
import { fieldsAt, type JsonMap, listAt, textAt } from '../value.ts'
import { objectOf } from './body.ts'
import { boolean, type Call, type Reply, writeOptions } from './call.ts'
import { placed, withNameOf } from './metadata.ts'
import { patch } from './patch.ts'
import { get, list } from './read.ts'
import { remove, removeCollection } from './remove.ts'
import { change, changeOf, create } from './write.ts'

const post = async (call: Call): Promise<Reply> => {
  const options = writeOptions(call, 'CreateOptions')
  return create(call, { object: objectOf(call, call.kind, options.fieldValidation), isOwned: false }, options)
}

const put = async (call: Call): Promise<Reply> => {
  const options = writeOptions(call, 'UpdateOptions')
  const given = placed(objectOf(call, call.kind, options.fieldValidation), call.kind, call.namespace)
  const object = withNameOf(call, given)
  return change(call, options, {
    produce: () => ({ object, isOwned: false }),
    isReplacement: true,
    createsIfAbsent: traitsOf(call.kind).createsOnUpdate ?? false,
  })
}

const createOrReview = async (call: Call): Promise<Reply> => {
  const path = call.kind.group ? `${call.kind.group}/${call.kind.plural}` : call.kind.plural
  const review = Object.hasOwn(reviews, path) ? reviews[path] : undefined
  if (!review) return post(call)
  const options = writeOptions(call, 'CreateOptions')
  const asked = ownedAfterUpdate(undefined, objectOf(call, call.kind, options.fieldValidation), changeOf(call, options))
  return { is: 'object', code: 201, kind: call.kind, object: { ...asked, status: await review(call, asked) } }
}

export const verbs: Readonly<Record<string, (call: Call) => Promise<Reply> | Reply>> = {
  get,
  list,
  create: createOrReview,
  update: put,
  patch,
  delete: remove,
  deletecollection: removeCollection,
}

const byMethod: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' }

export const verbOf = (
  method: string,
  { name, isWatch, subresource }: ResourcePath,
  query: URLSearchParams,
): string => {
  if (method === 'GET' || method === 'HEAD') {
    if (subresource) return 'get'
    const watches = isWatch || (!name && (boolean(query, 'watch') ?? false))
    return watches ? 'watch' : name ? 'get' : 'list'
  }
  if (method === 'DELETE') return name ? 'delete' : 'deletecollection'
  return byMethod[method] ?? method.toLowerCase()
}

/** A review of access, rules, tokens or users. Reviews are answered and not stored. */
type Review = (call: Call, object: KubeObject) => Promise<JsonMap> | JsonMap

const reviews: Readonly<Record<string, Review>> = {
  'authorization.k8s.io/selfsubjectaccessreviews': (call, object) => access(call, call.user, object),
  'authorization.k8s.io/subjectaccessreviews': (call, object) => access(call, subjectOf(object), object),
  'authorization.k8s.io/localsubjectaccessreviews': (call, object) => access(call, subjectOf(object), object),
  'authorization.k8s.io/selfsubjectrulesreviews': (call, object) =>
    rulesStatus(call, textAt(object, 'spec', 'namespace')),
  'authentication.k8s.io/selfsubjectreviews': ({ user }) => ({ userInfo: userInfo(user) }),
  'authentication.k8s.io/tokenreviews': (call, object) => tokenStatus(call, object),
}

const subjectOf = (object: KubeObject): User => {
  const spec = fieldsAt(object, 'spec') ?? {}
  return { name: String(spec.user ?? ''), groups: listAt(spec, 'groups').map(String) }
}

const accessFaults = (object: KubeObject): FieldFault[] => {
  const { resourceAttributes, nonResourceAttributes, user, groups } = fieldsAt(object, 'spec') ?? {}
  const isOne = (resourceAttributes === undefined) !== (nonResourceAttributes === undefined)
  const isNobody = object.kind !== 'SelfSubjectAccessReview' && !user && !groups
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return faultsIn(
    !isOne && invalidValue('spec.resourceAttributes', null, why),
    isNobody && invalidValue('spec.user', '', 'at least one of user or group must be specified'),
  )
}

const access = (call: Call, user: User, object: KubeObject): JsonMap => {
  const faults = accessFaults(object)
  if (faults.length) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', faults)
  const resource = fieldsAt(object, 'spec', 'resourceAttributes')
  const path = fieldsAt(object, 'spec', 'nonResourceAttributes')
  const { authorization } = call.cluster
  const text = (field: string) => textAt(resource ?? path, field)
  const kind = { group: text('group'), version: text('version'), plural: text('resource'), kind: '' }
  const place = { subresource: text('subresource'), namespace: text('namespace'), name: text('name') }
  const verdict = resource
    ? authorization.onResource(user, { verb: text('verb'), kind, ...place })
    : authorization.onPath(user, { verb: text('verb'), path: text('path') })
  return { allowed: verdict.isAllowed, ...(verdict.reason && { reason: verdict.reason }) }
}

const rulesStatus = (call: Call, namespace: string): JsonMap => {
  if (!namespace)
    throw invalid({ group: 'authorization.k8s.io', kind: 'SelfSubjectRulesReview' }, '', [required('spec.namespace')])
  const rules = call.cluster.authorization.rules(call.user, namespace)
  return {
    resourceRules: rules.filter(rule => Array.isArray(rule.resources)),
    nonResourceRules: rules.filter(rule => Array.isArray(rule.nonResourceURLs)),
    incomplete: false,
  }
}

const tokenStatus = ({ cluster }: Call, object: KubeObject): JsonMap => {
  const token = textAt(object, 'spec', 'token')
  if (!token) throw badRequest('token is required for TokenReview in authentication')
  const wanted = listAt(object, 'spec', 'audiences').map(String)
  const audiences = wanted.length ? wanted : [cluster.tokens.issuer]
  const found = cluster.authentication.byToken(token, audiences)
  if (!found) return { user: {}, error: 'invalid bearer token' }
  return { authenticated: true, user: userInfo(found.user), audiences: found.audiences }
}
