// CEL's `authorizer`, which checks the rights of the user of a request, or of a service account.
import type { Environment } from '@marcbachmann/cel-js'
import type { Authorization } from '../authorization/rbac.ts'
import { authenticated, type User } from '../identity/user.ts'
import { labelNameFaults, subdomainFaults } from '../names.ts'
import { withFunctions } from './functions.ts'

type AskedResource = {
  readonly group: string
  readonly plural: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

export class Authorizer {
  readonly authorization: Authorization
  readonly user: User
  readonly requestResource: ResourceCheck | undefined

  constructor(authorization: Authorization, user: User, requested?: AskedResource) {
    this.authorization = authorization
    this.user = user
    this.requestResource = requested && new ResourceCheck(this, requested)
  }
}

/** An incomplete authorization request. `asked` is a path, a group or a resource. */
class Check<Asked> {
  readonly authorizer: Authorizer
  readonly asked: Asked
  constructor(authorizer: Authorizer, asked: Asked) {
    this.authorizer = authorizer
    this.asked = asked
  }
}

class PathCheck extends Check<string> {}
class GroupCheck extends Check<string> {}
class ResourceCheck extends Check<AskedResource> {
  with(change: Partial<AskedResource>): ResourceCheck {
    return new ResourceCheck(this.authorizer, { ...this.asked, ...change })
  }
}

type Verdict = { readonly isAllowed: boolean; readonly reason: string }

class Decision {
  readonly verdict: Verdict
  constructor(verdict: Verdict) {
    this.verdict = verdict
  }
}

const given = (text: string, what: string): string => {
  if (text.trim() === '') throw new Error(`${what} must not be empty`)
  return text
}

const serviceAccount = ({ authorization }: Authorizer, namespace: string, name: string): Authorizer => {
  if (subdomainFaults(name).length > 0) throw new Error('Invalid service account name')
  if (labelNameFaults(namespace).length > 0) throw new Error('Invalid service account namespace')
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]
  return new Authorizer(authorization, authenticated({ name: `system:serviceaccount:${namespace}:${name}`, groups }))
}

const checkPath = ({ authorizer, asked: path }: PathCheck, verb: string): Decision =>
  new Decision(authorizer.authorization.onPath(authorizer.user, { path, verb }))

const checkResource = ({ authorizer, asked }: ResourceCheck, verb: string): Decision => {
  const { group, plural, ...place } = asked
  const kind = { group, version: '*', plural, kind: '' }
  return new Decision(authorizer.authorization.onResource(authorizer.user, { ...place, kind, verb }))
}

const nowhere = { subresource: '', namespace: '', name: '' }
const types = (name: string): string => `kubernetes.authorization.${name}`
const [anAuthorizer, aPath, aGroup, aResource, aDecision] = [
  types('Authorizer'),
  types('PathCheck'),
  types('GroupCheck'),
  types('ResourceCheck'),
  types('Decision'),
]

export const addAuthorizerTypes = (environment: Environment): Environment =>
  withFunctions(
    environment
      .registerType(aPath, PathCheck)
      .registerType(aGroup, GroupCheck)
      .registerType(aResource, ResourceCheck)
      .registerType(aDecision, Decision)
      .registerType(anAuthorizer, { ctor: Authorizer, fields: { requestResource: aResource } }),
    {
      [`${anAuthorizer}.serviceAccount(string, string): ${anAuthorizer}`]: serviceAccount,
      [`${anAuthorizer}.path(string): ${aPath}`]: (authorizer: Authorizer, path: string) =>
        new PathCheck(authorizer, given(path, 'path')),
      [`${anAuthorizer}.group(string): ${aGroup}`]: (authorizer: Authorizer, group: string) =>
        new GroupCheck(authorizer, group),
      [`${aGroup}.resource(string): ${aResource}`]: ({ authorizer, asked: group }: GroupCheck, plural: string) =>
        new ResourceCheck(authorizer, { ...nowhere, group, plural: given(plural, 'resource') }),
      [`${aResource}.subresource(string): ${aResource}`]: (check: ResourceCheck, subresource: string) =>
        check.with({ subresource }),
      [`${aResource}.namespace(string): ${aResource}`]: (check: ResourceCheck, namespace: string) =>
        check.with({ namespace }),
      [`${aResource}.name(string): ${aResource}`]: (check: ResourceCheck, name: string) => check.with({ name }),
      // Selectors have no effect, because RBAC grants rights to all objects.
      [`${aResource}.fieldSelector(string): ${aResource}`]: (check: ResourceCheck) => check,
      [`${aResource}.labelSelector(string): ${aResource}`]: (check: ResourceCheck) => check,
      [`${aPath}.check(string): ${aDecision}`]: checkPath,
      [`${aResource}.check(string): ${aDecision}`]: checkResource,
      [`${aDecision}.allowed(): bool`]: ({ verdict }: Decision) => verdict.isAllowed,
      [`${aDecision}.reason(): string`]: ({ verdict }: Decision) => verdict.reason,
      [`${aDecision}.errored(): bool`]: () => false,
      [`${aDecision}.error(): string`]: () => '',
    },
  )

export const withAuthorizer = (environment: Environment): Environment =>
  environment.registerVariable('authorizer', anAuthorizer)
