// Checks rules of a structured authentication: rules that map tokens to users, and rules that validate tokens. kube-apiserver does not
// start if one of these rules is invalid.
import { list, options, type Typed, text } from '../../api/schema.ts'
import { subdomainFaults } from '../objects/dns-name.ts'
import { duplicate, type FieldError, invalid, required } from '../objects/field-error.ts'
import { repeatedItems } from './configuration.ts'
import { claims, expressionFault, readsField, user } from './expression.ts'

const claimRule = options({ claim: text, requiredValue: text, expression: text, message: text })
const prefixed = options({ claim: text, prefix: text, expression: text })

const mappings = options({
  username: prefixed,
  groups: prefixed,
  uid: options({ claim: text, expression: text }),
  extra: list(options({ key: text, valueExpression: text })),
})

export const claimFields = {
  claimValidationRules: list(claimRule),
  claimMappings: mappings,
  userValidationRules: list(options({ expression: text, message: text })),
}

const fields = options(claimFields)

type Claims = Typed<typeof fields>

export const claimErrors = (path: string, one: Claims): FieldError[] => [
  ...claimRuleErrors(`${path}.claimValidationRules`, one.claimValidationRules ?? []),
  ...mappingErrors(`${path}.claimMappings`, one.claimMappings ?? {}),
  ...emailErrors(`${path}.claimMappings`, one),
  ...userRuleErrors(`${path}.userValidationRules`, one.userValidationRules ?? []),
]

const bothSet = "claim and expression can't both be set"
const noneSet = 'claim or expression is required'

const claimRuleErrors = (path: string, rules: readonly Typed<typeof claimRule>[]): FieldError[] => {
  const repeatedExpressions = repeatedItems(rules.map(one => (one.claim ? undefined : one.expression || undefined)))
  const repeatedClaims = repeatedItems(rules.map(one => (one.expression ? undefined : one.claim || undefined)))
  return rules.flatMap(({ claim = '', expression = '', message = '', requiredValue = '' }, at) => {
    const place = `${path}[${at}]`
    if (claim && expression) return [invalid(place, claim, bothSet)]
    if (!claim && !expression) return [required(place, noneSet)]
    return claim
      ? [
          ...(message ? [invalid(`${place}.message`, message, 'may not be specified when claim is set')] : []),
          ...(repeatedClaims.has(at) ? [duplicate(`${place}.claim`, claim)] : []),
        ]
      : [
          ...(requiredValue
            ? [invalid(`${place}.requiredValue`, requiredValue, 'may not be specified when expression is set')]
            : []),
          ...(repeatedExpressions.has(at)
            ? [duplicate(`${place}.expression`, expression)]
            : expressionErrors(`${place}.expression`, expression, { variable: claims, isBool: true })),
        ]
  })
}

const mappingErrors = (path: string, { username, groups, uid, extra = [] }: Typed<typeof mappings>): FieldError[] => {
  const repeated = repeatedItems(extra.map(({ key = '' }) => key))
  return [
    ...prefixedErrors(`${path}.username`, username ?? {}, { isRequired: true }),
    ...prefixedErrors(`${path}.groups`, groups ?? {}, {}),
    ...(uid?.claim && uid.expression
      ? [invalid(`${path}.uid`, '', bothSet)]
      : expressionErrors(`${path}.uid.expression`, uid?.expression, { variable: claims })),
    ...extra.flatMap(({ key = '', valueExpression = '' }, at) => [
      ...keyErrors(`${path}.extra[${at}].key`, key),
      ...(repeated.has(at) ? [duplicate(`${path}.extra[${at}].key`, key)] : []),
      ...(!repeated.has(at) && valueExpression === '' ? [required(`${path}.extra[${at}].valueExpression`, '')] : []),
      ...(repeated.has(at)
        ? []
        : expressionErrors(`${path}.extra[${at}].valueExpression`, valueExpression, { variable: claims })),
    ]),
  ]
}

/** An absent or empty expression has no errors. */
const expressionErrors = (
  path: string,
  expression: string | undefined,
  expected: Parameters<typeof expressionFault>[1],
): FieldError[] => {
  const fault = expression ? expressionFault(expression, expected) : undefined
  return fault === undefined ? [] : [invalid(path, expression, fault)]
}

const unverified =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression'

/** A user name made of an e-mail address is safe only if the address is verified. Otherwise a user could claim any address. */
const emailErrors = (
  path: string,
  { claimMappings: { username, extra = [] } = {}, claimValidationRules = [] }: Claims,
): FieldError[] => {
  const { expression = '' } = username ?? {}
  const verifying = [
    expression,
    ...extra.map(({ valueExpression = '' }) => valueExpression),
    ...claimValidationRules.map(one => one.expression ?? ''),
  ]
  const isVerified = verifying.some(one => readsField(one, claims, 'email_verified'))
  return readsField(expression, claims, 'email') && !isVerified
    ? [invalid(`${path}.username.expression`, expression, unverified)]
    : []
}

const prefixRequired = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing'

const prefixedErrors = (
  path: string,
  { claim = '', prefix, expression = '' }: Typed<typeof prefixed>,
  { isRequired }: { readonly isRequired?: true },
): FieldError[] => {
  if (claim && expression) return [invalid(path, '', bothSet)]
  if (claim) return prefix === undefined ? [required(`${path}.prefix`, prefixRequired)] : []
  if (expression)
    return [
      ...(prefix === undefined
        ? []
        : [invalid(`${path}.prefix`, prefix, 'may not be specified when expression is set')]),
      ...expressionErrors(`${path}.expression`, expression, { variable: claims }),
    ]
  return isRequired ? [required(path, noneSet)] : []
}

const keyErrors = (path: string, key: string): FieldError[] => {
  const [host = '', ...rest] = key.split('/')
  return [
    ...domainPrefixedErrors(path, key),
    ...(key === key.toLowerCase() ? [] : [invalid(path, key, 'must be lowercase')]),
    ...(rest.length > 0 && /(^|\.)(kubernetes|k8s)\.io$/.test(host)
      ? [invalid(path, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use')]
      : []),
  ]
}

const pathForm = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"

const domainPrefixedErrors = (path: string, key: string): FieldError[] => {
  if (key === '') return [required(path, '')]
  const [, host = '', rest = ''] = /^([^/]*)\/(.*)$/s.exec(key) ?? []
  if (!host || !rest) return [invalid(path, key, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  return [
    ...subdomainFaults(host).map(fault => invalid(path, host, fault)),
    ...(new RegExp(`^${pathForm}$`).test(rest)
      ? []
      : [invalid(path, rest, `Invalid path (regex used for validation is '${pathForm}')`)]),
  ]
}

type UserRule = { readonly expression?: string }

const userRuleErrors = (path: string, rules: readonly UserRule[]): FieldError[] => {
  const repeated = repeatedItems(rules.map(({ expression }) => expression || undefined))
  return rules.flatMap(({ expression = '' }, at) => {
    if (expression === '') return [required(`${path}[${at}].expression`, '')]
    const place = `${path}[${at}].expression`
    return repeated.has(at)
      ? [duplicate(place, expression)]
      : expressionErrors(place, expression, { variable: user, isBool: true })
  })
}
