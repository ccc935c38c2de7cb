// Who the API server of the virtual garden believes: service accounts, OpenID Connect, structured configurations.
import { X509Certificate } from 'node:crypto'
import { durationSeconds } from '../../../shared/core/duration.ts'
import { forbidden, invalid } from '../../../shared/core/field-error.ts'
import { kubeAPIServer } from './paths.ts'
import { eachOnce, type Rule, rule, ruleOfEach, says } from './rule.ts'

const serviceAccounts = `${kubeAPIServer}.serviceAccountConfig`
const oidc = `${kubeAPIServer}.oidcConfig`
const hour = 3_600

type ServiceAccounts = { issuer?: string; acceptedIssuers?: string[] }
type Oidc = { clientID?: string; issuerURL?: string; caBundle?: string; signingAlgs?: string[] }

/** As OpenID Connect wants issuers: nothing but a place. */
const isNoIssuer = (text: string): boolean => !/^https:\/\/[^@/?#\s]+(\/[^?#\s]*)?$/.test(text) || !URL.canParse(text)
const issuerDetail = 'must be an https URL without user, query and fragment'

const seconds = (text: string): number => durationSeconds(text) ?? -1

/** Certificates in PEM, and at least one. */
const isBundle = (text: string): boolean => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  return blocks.length > 0 && blocks.every(isCertificate)
}

/** There is no way to ask but to try. */
const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

const algorithms: readonly string[] = [
  ...['RS256', 'RS384', 'RS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['PS256', 'PS384', 'PS512'],
]

const onlyOne = (given: 'clientID' | 'issuerURL', missing: 'clientID' | 'issuerURL'): Rule =>
  rule<Oidc>({
    at: [oidc],
    check: config => config[given] !== undefined && config[missing] === undefined,
    error: ({ path }) => invalid(`${path}.${missing}`, '', `must be set when ${given} is`),
  })

export const authenticationRules: readonly Rule[] = [
  rule<string>({
    at: [`${serviceAccounts}.maxTokenExpiration`],
    check: text => seconds(text) < 0,
    error: says.invalid('must be a duration that is not negative'),
  }),
  rule<string>({
    at: [`${serviceAccounts}.maxTokenExpiration`],
    check: text => seconds(text) >= 0 && (seconds(text) < 720 * hour || seconds(text) > 2_160 * hour),
    error: says.forbidden('must be from 720h to 2160h'),
  }),
  rule<string>({
    at: [`${serviceAccounts}.issuer`, `${serviceAccounts}.acceptedIssuers[]`],
    check: isNoIssuer,
    error: says.invalid(issuerDetail),
  }),
  ruleOfEach<ServiceAccounts, number>({
    at: [serviceAccounts],
    check: ({ issuer, acceptedIssuers = [] }) => [...acceptedIssuers.keys()].filter(i => acceptedIssuers[i] === issuer),
    error: ({ path, value }, i) => invalid(`${path}.acceptedIssuers[${i}]`, value.issuer, 'is the issuer already'),
  }),
  ruleOfEach({ at: [`${serviceAccounts}.acceptedIssuers`], ...eachOnce() }),
  rule<string>({
    at: [`${kubeAPIServer}.apiAudiences[]`],
    check: audience => audience.includes(','),
    error: says.invalid('must not have a comma'),
  }),
  ruleOfEach({ at: [`${kubeAPIServer}.apiAudiences`], ...eachOnce() }),
  onlyOne('issuerURL', 'clientID'),
  onlyOne('clientID', 'issuerURL'),
  rule<string>({
    at: [`${oidc}.issuerURL`],
    check: isNoIssuer,
    error: says.invalid(issuerDetail),
  }),
  rule<string>({
    at: [`${oidc}.caBundle`],
    check: text => !isBundle(text),
    error: ({ path }) => invalid(path, '', 'must be certificates in PEM'),
  }),
  rule<string>({
    at: [`${oidc}.signingAlgs[]`],
    check: algorithm => !algorithms.includes(algorithm),
    error: says.invalid(`must be one of ${algorithms.join(', ')}`),
  }),
  rule<string>({
    at: ['clientID', 'usernameClaim', 'usernamePrefix', 'groupsClaim', 'groupsPrefix', 'requiredClaims{}'].map(
      field => `${oidc}.${field}`,
    ),
    check: text => text === '',
    error: says.invalid('must not be empty'),
  }),
  rule<Oidc>({
    at: [oidc],
    check: (_, { garden }) =>
      garden.spec.virtualCluster.kubernetes.kubeAPIServer?.structuredAuthentication !== undefined,
    error: says.forbidden('must not stand beside structuredAuthentication'),
  }),
  rule<string>({
    at: [
      `${kubeAPIServer}.structuredAuthentication.configMapName`,
      `${kubeAPIServer}.structuredAuthorization.configMapName`,
    ],
    check: name => name === '',
    error: ({ path }) => forbidden(path, 'must name a ConfigMap'),
  }),
  rule<readonly unknown[]>({
    at: [`${kubeAPIServer}.structuredAuthorization.kubeconfigs`],
    check: kubeconfigs => kubeconfigs.length === 0,
    error: says.required('each authorizer needs a kubeconfig'),
  }),
]
