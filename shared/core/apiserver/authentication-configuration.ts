// Checks structured authentication as k8s.io/apiserver/pkg/apis/apiserver/validation does, because kube-apiserver does not start with an
// invalid one.
import { flag, list, options, type Typed, text } from '../../api/schema.ts'
import { duplicate, type FieldError, forbidden, invalid, required, tooMany } from '../objects/field-error.ts'
import { withoutSlashesAtEnd } from '../text/text.ts'
import { certificatesIn } from '../tls/certificate.ts'
import { claimErrors, claimFields } from './authentication-claims.ts'
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

const authenticator = options({
  issuer,
  ...claimFields,
})

const anonymous = options({ enabled: flag, conditions: list(options({ path: text })) })
const configuration = options({ jwt: list(authenticator), anonymous })

type Server = {
  readonly garden: string
  /** Minor version of Kubernetes, for example 34 for 1.34. */
  readonly minor: number
  /** Issuers of the server's own tokens. Authenticators must not use these issuers. */
  readonly issuers: readonly string[]
  /** Whether the Garden sets the older field `enableAnonymousAuthentication`. The file must then not contain `anonymous`. */
  readonly saysAnonymous: boolean
}

export const authenticationFault = (server: Server, content: string): string | undefined =>
  configurationFault(fileOf(server), content)

const fileOf = (server: Server): ConfigurationFile<Typed<typeof configuration>> => ({
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

/** The first minor version of Kubernetes with apiserver.config.k8s.io/v1 and egressSelectorType. */
const stable = 34

const anonymousErrors = (given: Typed<typeof anonymous> | undefined): FieldError[] =>
  given && !given.enabled && given.conditions && given.conditions.length > 0
    ? [invalid('anonymous.conditions', given.conditions, 'enabled should be set to true when conditions are defined')]
    : []

const jwtErrors = (server: Server, jwt: readonly Typed<typeof authenticator>[]): FieldError[] => {
  if (jwt.length > 64) return [tooMany('jwt', jwt.length, 64)]
  const repeatedUrls = repeatedItems(jwt.map(({ issuer }) => issuer?.url ?? ''))
  const repeatedDiscoveries = repeatedItems(jwt.map(({ issuer }) => issuer?.discoveryURL || undefined))
  return jwt.flatMap((one, at) => [
    ...authenticatorErrors(server, `jwt[${at}]`, one),
    ...(repeatedUrls.has(at) ? [duplicate(`jwt[${at}].issuer.url`, one.issuer?.url ?? '')] : []),
    ...(repeatedDiscoveries.has(at) ? [duplicate(`jwt[${at}].issuer.discoveryURL`, one.issuer?.discoveryURL)] : []),
  ])
}

const authenticatorErrors = (server: Server, path: string, one: Typed<typeof authenticator>): FieldError[] => [
  ...issuerErrors(server, `${path}.issuer`, one.issuer ?? {}),
  ...claimErrors(path, one),
]

const issuerErrors = (server: Server, path: string, given: Typed<typeof issuer>): FieldError[] => {
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

/**
 * Whether Go's url.Parse accepts the text. It refuses control characters, invalid percent escapes, and spaces in the host. The scheme rule
 * below refuses everything else that is not a URL.
 */
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
  { audiences = [], audienceMatchPolicy = '' }: Typed<typeof issuer>,
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
