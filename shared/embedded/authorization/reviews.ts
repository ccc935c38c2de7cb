// The review kinds, which are answered and not stored: access reviews, rules reviews, token reviews, self reviews.
import type { KubeObject } from '../../core/objects/object.ts'
import { faultsIn, invalidValue, required } from '../faults.ts'
import { type User, userInfo } from '../identity/user.ts'
import { badRequest, type FieldFault, invalid } from '../status.ts'
import { fieldsAt, type JsonMap, listAt, textAt } from '../value.ts'
import type { Call } from '../verbs/call.ts'

type Review = (call: Call, object: KubeObject) => Promise<JsonMap> | JsonMap

export const reviews: Readonly<Record<string, Review>> = {
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
