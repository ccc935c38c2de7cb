// Authentication of the virtual garden's API server: service accounts, OpenID Connect, structured configurations.
import { X509Certificate } from 'node:crypto'
import { isSubdomain, subdomainDetail } from '../../../../shared/core/objects/dns-name.ts'
import { forbidden, invalid } from '../../../../shared/core/objects/field-error.ts'
import { durationSeconds } from '../../../../shared/core/time/duration.ts'
import { kubeAPIServerPath } from '../paths.ts'
import {
  eachOnce,
  forbiddenIf,
  type GardenRule,
  invalidIf,
  relation,
  relationOfEach,
  requiredIf,
  rule,
  says,
} from '../rule.ts'

const serviceAccounts = `${kubeAPIServerPath}.serviceAccountConfig`
const oidc = `${kubeAPIServerPath}.oidcConfig`
/** Each kubeconfig becomes a file with the authorizer's name. */
const kubeconfigs = `${kubeAPIServerPath}.structuredAuthorization.kubeconfigs`
const hour = 3_600

type ServiceAccounts = { issuer?: string; acceptedIssuers?: string[] }
type Oidc = { clientID?: string; issuerURL?: string; caBundle?: string; signingAlgs?: string[] }

/**
 * An issuer of OpenID Connect is an https URL without query, fragment and user. kube-apiserver parses the URL with Go, which refuses stray
 * percent signs and unusual characters in hosts. The URL parser here accepts them, so a pattern excludes them. For ports and addresses, the
 * parser here is stricter.
 */
const isIssuer = (text: string): boolean =>
  issuerForm.test(text) && !/%(?![\da-f]{2})/i.test(text) && URL.canParse(text)
const issuerForm = /^https:\/\/[^@/?#\s\p{Cc}\\^|`"<>{}%]+(\/[^?#\s\p{Cc}]*)?$/u
const issuerDetail = 'must be an https URL without user, query and fragment'

const seconds = (text: string): number => durationSeconds(text) ?? -1

/** Whether the text contains at least one certificate in PEM. */
const isBundle = (text: string): boolean => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  return blocks.length > 0 && blocks.every(isCertificate)
}

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Configurations in separate files, and the feature gates that enable them. */
const structured = [
  { at: `${kubeAPIServerPath}.structuredAuthentication`, gate: 'StructuredAuthenticationConfiguration' },
  { at: `${kubeAPIServerPath}.structuredAuthorization`, gate: 'StructuredAuthorizationConfiguration' },
] as const

const algorithms: readonly string[] = [
  ...['RS256', 'RS384', 'RS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['PS256', 'PS384', 'PS512'],
]

const onlyOne = (given: 'clientID' | 'issuerURL', missing: 'clientID' | 'issuerURL'): GardenRule =>
  rule<Oidc>({
    at: [oidc],
    check: config => config[given] !== undefined && config[missing] === undefined,
    error: ({ path }) => invalid(`${path}.${missing}`, '', `must be set when ${given} is set`),
  })

export const authenticationRules: readonly GardenRule[] = [
  invalidIf<string>(
    [`${serviceAccounts}.maxTokenExpiration`],
    text => seconds(text) < 0,
    'must be a duration that is not negative',
  ),
  forbiddenIf<string>(
    [`${serviceAccounts}.maxTokenExpiration`],
    text => seconds(text) > 0 && (seconds(text) < 720 * hour || seconds(text) > 2_160 * hour),
    'must be from 720h to 2160h',
  ),
  invalidIf<string>(
    [`${serviceAccounts}.issuer`, `${serviceAccounts}.acceptedIssuers[]`],
    text => !isIssuer(text),
    issuerDetail,
  ),
  relationOfEach<ServiceAccounts, number>({
    at: [serviceAccounts],
    check: ({ issuer, acceptedIssuers = [] }) => [...acceptedIssuers.keys()].filter(i => acceptedIssuers[i] === issuer),
    error: ({ path, value }, i) => invalid(`${path}.acceptedIssuers[${i}]`, value.issuer, 'is already set as issuer'),
  }),
  eachOnce({ at: [`${serviceAccounts}.acceptedIssuers`] }),
  invalidIf<string>(
    [`${kubeAPIServerPath}.apiAudiences[]`],
    audience => audience.includes(','),
    'must not have a comma',
  ),
  eachOnce({ at: [`${kubeAPIServerPath}.apiAudiences`] }),
  onlyOne('issuerURL', 'clientID'),
  onlyOne('clientID', 'issuerURL'),
  invalidIf<string>([`${oidc}.issuerURL`], text => !isIssuer(text), issuerDetail),
  rule<string>({
    at: [`${oidc}.caBundle`],
    check: text => !isBundle(text),
    error: ({ path }) => invalid(path, '', 'must be certificates in PEM'),
  }),
  invalidIf<string>(
    [`${oidc}.signingAlgs[]`],
    algorithm => !algorithms.includes(algorithm),
    `must be one of ${algorithms.join(', ')}`,
  ),
  invalidIf<string>(
    ['clientID', 'usernameClaim', 'usernamePrefix', 'groupsClaim', 'groupsPrefix', 'requiredClaims{}'].map(
      field => `${oidc}.${field}`,
    ),
    text => text === '',
    'must not be empty',
  ),
  relation<Oidc>({
    at: [oidc],
    check: (_, { garden }) =>
      garden.spec.virtualCluster.kubernetes.kubeAPIServer?.structuredAuthentication !== undefined,
    error: says.forbidden('must not be set together with structuredAuthentication'),
  }),
  ...structured.map(({ at, gate }) =>
    relation<object>({
      at: [at],
      check: (_, { garden }) => garden.spec.virtualCluster.kubernetes.kubeAPIServer?.featureGates?.[gate] === false,
      error: says.forbidden(`needs the feature gate ${gate}, which is turned off`),
    }),
  ),
  rule<string>({
    at: [
      `${kubeAPIServerPath}.structuredAuthentication.configMapName`,
      `${kubeAPIServerPath}.structuredAuthorization.configMapName`,
    ],
    check: name => name === '',
    error: ({ path }) => forbidden(path, 'must name a ConfigMap'),
  }),
  eachOnce({ at: [kubeconfigs], field: 'authorizerName', by: name => String(name).toLowerCase() }),
  invalidIf<string>(
    [`${kubeconfigs}[].authorizerName`],
    name => !isSubdomain(`${name.toLowerCase()}-kubeconfig.yaml`),
    subdomainDetail,
  ),
  requiredIf<readonly unknown[]>([kubeconfigs], listed => listed.length === 0, 'each authorizer needs a kubeconfig'),
]
