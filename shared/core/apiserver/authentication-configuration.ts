// What kube-apiserver does not start with in a structured authentication: k8s.io/apiserver/pkg/apis/apiserver/validation. CEL expressions are
// not compiled.
import { flag, list, options, type Schema, type Typed, text } from '../../api/schema.ts'
import { subdomainFaults } from '../objects/dns-name.ts'
import { duplicate, type FieldError, forbidden, invalid, required, tooMany } from '../objects/field-error.ts'
import { withoutSlashesAtEnd } from '../text/slashes.ts'
import { certificatesIn } from '../tls/certificate.ts'
import {
  type ConfigurationFile,
  configurationFault,
  invalidConfiguration,
  kindIn,
  repeatedItems,
} from './configuration.ts'

const purpose = 'authentication configuration'

const issuer = options({
  url: text,
  discoveryURL: text,
  certificateAuthority: text,
  audiences: list(text),
  audienceMatchPolicy: text,
  egressSelectorType: text,
})

const claimRule = options({ claim: text, requiredValue: text, expression: text, message: text })
const prefixed = options({ claim: text, prefix: text, expression: text })

const mappings = options({
  username: prefixed,
  groups: prefixed,
  uid: options({ claim: text, expression: text }),
  extra: list(options({ key: text, valueExpression: text })),
})

const authenticator = options({
  issuer,
  claimValidationRules: list(claimRule),
  claimMappings: mappings,
  userValidationRules: list(options({ expression: text, message: text })),
})

const anonymous = options({ enabled: flag, conditions: list(options({ path: text })) })
const configuration = options({ jwt: list(authenticator), anonymous })

type Of<S extends Schema> = Typed<S>

type Server = {
  /** For the message. */
  readonly garden: string
  /** Of Kubernetes: 34 for 1.34. */
  readonly minor: number
  /** Of its own tokens: tokens of one issuer cannot be judged in two ways. */
  readonly issuers: readonly string[]
  /** Whether anonymous requests are configured elsewhere. */
  readonly saysAnonymous: boolean
}

export const authenticationFault = (server: Server, content: string): string | undefined =>
  configurationFault(fileOf(server), content)

const fileOf = (server: Server): ConfigurationFile<Of<typeof configuration>> => ({
  ...{ purpose, shape: configuration, isStrict: true },
  kinds: kindIn(
    'AuthenticationConfiguration',
    ['v1alpha1', 'v1beta1', ...(server.minor < stable ? [] : ['v1'])].map(
      version => `apiserver.config.k8s.io/${version}`,
    ),
  ),
  fault: config =>
    invalidConfiguration(purpose, [...jwtErrors(server, config.jwt ?? []), ...anonymousErrors(config.anonymous)]) ??
    (config.anonymous && server.saysAnonymous
      ? `cannot use anonymous ${purpose} when the following gardens have the legacy configuration enabled: ${server.garden}`
      : undefined),
})

/** The version of Kubernetes that came with apiserver.config.k8s.io/v1 and egressSelectorType. */
const stable = 34

const anonymousErrors = (given: Of<typeof anonymous> | undefined): FieldError[] =>
  given && !given.enabled && given.conditions && given.conditions.length > 0
    ? [invalid('anonymous.conditions', given.conditions, 'enabled should be set to true when conditions are defined')]
    : []

const jwtErrors = (server: Server, jwt: readonly Of<typeof authenticator>[]): FieldError[] => {
  if (jwt.length > 64) return [tooMany('jwt', jwt.length, 64)]
  const repeatedUrls = repeatedItems(jwt.map(({ issuer }) => issuer?.url ?? ''))
  const repeatedDiscoveries = repeatedItems(jwt.map(({ issuer }) => issuer?.discoveryURL || undefined))
  return jwt.flatMap((one, at) => [
    ...authenticatorErrors(server, `jwt[${at}]`, one),
    ...(repeatedUrls.has(at) ? [duplicate(`jwt[${at}].issuer.url`, one.issuer?.url ?? '')] : []),
    ...(repeatedDiscoveries.has(at) ? [duplicate(`jwt[${at}].issuer.discoveryURL`, one.issuer?.discoveryURL)] : []),
  ])
}

const authenticatorErrors = (server: Server, path: string, one: Of<typeof authenticator>): FieldError[] => [
  ...issuerErrors(server, `${path}.issuer`, one.issuer ?? {}),
  ...claimRuleErrors(`${path}.claimValidationRules`, one.claimValidationRules ?? []),
  ...mappingErrors(`${path}.claimMappings`, one.claimMappings ?? {}),
  ...userRuleErrors(`${path}.userValidationRules`, one.userValidationRules ?? []),
]

const issuerErrors = (server: Server, path: string, given: Of<typeof issuer>): FieldError[] => {
  const { url = '', discoveryURL = '', certificateAuthority = '', egressSelectorType = '' } = given
  return [
    ...(url === '' ? [required(`${path}.url`, '')] : urlErrors(`${path}.url`, url, server.issuers)),
    ...(discoveryURL === '' ? [] : discoveryErrors(`${path}.discoveryURL`, discoveryURL, url)),
    ...audienceErrors(path, given),
    ...(certificateAuthority === '' ? [] : authorityErrors(`${path}.certificateAuthority`, certificateAuthority)),
    ...(egressSelectorType === '' ? [] : egressErrors(server, `${path}.egressSelectorType`, egressSelectorType)),
  ]
}

const discoveryErrors = (path: string, discoveryURL: string, url: string): FieldError[] => [
  ...(url !== '' && withoutSlashesAtEnd(url) === withoutSlashesAtEnd(discoveryURL)
    ? [invalid(path, discoveryURL, 'discoveryURL must be different from URL')]
    : []),
  ...urlErrors(path, discoveryURL, []),
]

/** `[a b]`, as Go prints a list. */
const goList = (texts: readonly string[]): string => `[${[...texts].sort().join(' ')}]`

const urlErrors = (path: string, url: string, taken: readonly string[]): FieldError[] => {
  const overlap = `URL must not overlap with disallowed issuers: ${goList(taken)}`
  const faults = urlRules.filter(([isFaulty]) => isFaulty(url)).map(([, fault]) => fault)
  return [...(taken.includes(url) ? [overlap] : []), ...(isParsed(url) ? faults : ['must be a URL'])].map(fault =>
    invalid(path, url, fault),
  )
}

/** Go takes no control character, no stray percent sign and no space in a host; what else is no URL has no scheme. */
const isParsed = (url: string): boolean =>
  !/\p{Cc}|%(?![\da-f]{2})|^:/iu.test(url) &&
  (!/^https:/i.test(url) || URL.canParse(url)) &&
  !/^[a-z]+:\/\/[^/?#]*\s/i.test(url)

const urlRules: readonly (readonly [isFaulty: (url: string) => boolean, fault: string])[] = [
  [url => !/^https:/i.test(url), 'URL scheme must be https'],
  [url => /^[a-z][a-z\d+.-]*:\/\/[^/?#]*@/i.test(url), 'URL must not contain a username or password'],
  [url => /^[^#]*\?[^#]/.test(url), 'URL must not contain a query'],
  [url => /#./.test(url), 'URL must not contain a fragment'],
]

const audienceErrors = (
  path: string,
  { audiences = [], audienceMatchPolicy = '' }: Of<typeof issuer>,
): FieldError[] => {
  const place = `${path}.audiences`
  if (audiences.length === 0) return [required(place, `at least one ${place} is required`)]
  const policy =
    audiences.length > 1
      ? audienceMatchPolicy !== 'MatchAny' && 'audienceMatchPolicy must be MatchAny for multiple audiences'
      : !['', 'MatchAny'].includes(audienceMatchPolicy) &&
        'audienceMatchPolicy must be empty or MatchAny for single audience'
  const repeated = repeatedItems(audiences)
  return [
    ...audiences.flatMap((audience, at) => [
      ...(audience === '' ? [required(`${place}[${at}]`, '')] : []),
      ...(repeated.has(at) ? [duplicate(`${place}[${at}]`, audience)] : []),
    ]),
    ...(policy ? [invalid(`${path}.audienceMatchPolicy`, audienceMatchPolicy, policy)] : []),
  ]
}

const authorityErrors = (path: string, pem: string): FieldError[] => {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----/g) ?? []
  if (blocks.length > 0 && certificatesIn(pem).length === blocks.length) return []
  return [invalid(path, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates')]
}

const egressErrors = ({ minor }: Server, path: string, type: string): FieldError[] => {
  if (minor < stable) return [forbidden(path, `is not known to Kubernetes 1.${minor}`)]
  return ['controlplane', 'cluster'].includes(type)
    ? []
    : [invalid(path, type, 'egress selector must be either controlplane or cluster')]
}

const bothSet = "claim and expression can't both be set"
const noneSet = 'claim or expression is required'

const claimRuleErrors = (path: string, rules: readonly Of<typeof claimRule>[]): FieldError[] => {
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
          ...(repeatedExpressions.has(at) ? [duplicate(`${place}.expression`, expression)] : []),
        ]
  })
}

const mappingErrors = (path: string, { username, groups, uid, extra = [] }: Of<typeof mappings>): FieldError[] => {
  const repeated = repeatedItems(extra.map(({ key = '' }) => key))
  return [
    ...prefixedErrors(`${path}.username`, username ?? {}, { isRequired: true }),
    ...prefixedErrors(`${path}.groups`, groups ?? {}, {}),
    ...(uid?.claim && uid.expression ? [invalid(`${path}.uid`, '', bothSet)] : []),
    ...extra.flatMap(({ key = '', valueExpression = '' }, at) => [
      ...keyErrors(`${path}.extra[${at}].key`, key),
      ...(repeated.has(at) ? [duplicate(`${path}.extra[${at}].key`, key)] : []),
      ...(!repeated.has(at) && valueExpression === '' ? [required(`${path}.extra[${at}].valueExpression`, '')] : []),
    ]),
  ]
}

const prefixRequired = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing'

const prefixedErrors = (
  path: string,
  { claim = '', prefix, expression = '' }: Of<typeof prefixed>,
  { isRequired }: { readonly isRequired?: true },
): FieldError[] => {
  if (claim && expression) return [invalid(path, '', bothSet)]
  if (claim) return prefix === undefined ? [required(`${path}.prefix`, prefixRequired)] : []
  if (expression)
    return prefix === undefined
      ? []
      : [invalid(`${path}.prefix`, prefix, 'may not be specified when expression is set')]
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
    return repeated.has(at) ? [duplicate(`${path}[${at}].expression`, expression)] : []
  })
}
