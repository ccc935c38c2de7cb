// Numbers and small settings of both API servers.
import { isFrom } from '../../../../shared/api/kubernetes/versions.ts'
import { isLabel, isSubdomain, subdomainDetail } from '../../../../shared/core/objects/dns-name.ts'
import { required } from '../../../../shared/core/objects/field-error.ts'
import { durationSeconds } from '../../../../shared/core/time/duration.ts'
import { kubeAPIServerPath, ofBothAPIServers } from '../paths.ts'
import { type GardenRule, invalidIf, mustBeOneOf, rule, says } from '../rule.ts'

const isNegative = (amount: number): boolean => amount < 0
const isUpperCase = (name: string): boolean => name.toLowerCase() !== name
const hour = 3_600

const tlsVersions: readonly string[] = ['VersionTLS12', 'VersionTLS13']

const cached = 'watchCacheSizes.resources[]'
const moved = `${kubeAPIServerPath}.resourcesToStoreInETCDEvents[]`

/**
 * Characters that separate parts of flags and cannot be quoted: `--watch-cache-sizes=deployments.apps#100,secrets#50`,
 * `--etcd-servers-overrides=apps/deployments#https://…`, `--tls-sni-cert-key=tls.crt,tls.key:*.example.com,a.example.com`.
 */
const uncarried = [
  {
    at: ofBothAPIServers(`${cached}.resource`),
    sign: /[\s\p{Cc},#".]/u,
    detail: 'must have no comma, blank, #, quotation mark or dot',
  },
  {
    at: ofBothAPIServers(`${cached}.apiGroup`),
    sign: /[\s\p{Cc},#"]/u,
    detail: 'must have no comma, blank, # or quotation mark',
  },
  {
    at: [`${moved}.group`, `${moved}.resource`],
    sign: /[\s\p{Cc},#"/]/u,
    detail: 'must have no comma, blank, #, quotation mark or slash',
  },
  {
    at: [`${kubeAPIServerPath}.sni.domainPatterns[]`],
    sign: /[\s\p{Cc},:]/u,
    detail: 'must have no comma, blank or colon',
  },
  {
    at: [`${kubeAPIServerPath}.apiAudiences[]`],
    sign: /[\p{Cc}"]/u,
    detail: 'must have no quotation mark and no line break',
  },
] as const

export const apiServerRules: readonly GardenRule[] = [
  rule<number>({
    at: [
      ...[
        'watchCacheSizes.default',
        'watchCacheSizes.resources[].size',
        'logging.verbosity',
        'logging.httpAccessVerbosity',
        'requests.maxMutatingInflight',
        'requests.maxNonMutatingInflight',
      ].flatMap(ofBothAPIServers),
      `${kubeAPIServerPath}.defaultNotReadyTolerationSeconds`,
      `${kubeAPIServerPath}.defaultUnreachableTolerationSeconds`,
    ],
    check: isNegative,
    error: says.invalid('must not be negative'),
  }),
  ...[
    { field: 'requests.maxNonMutatingInflight', most: 5_000 },
    { field: 'requests.maxMutatingInflight', most: 2_500 },
  ].map(({ field, most }) =>
    invalidIf<number>(ofBothAPIServers(field), amount => amount > most, `must be at most ${most}`),
  ),
  rule<string>({
    at: ofBothAPIServers('watchCacheSizes.resources[].resource'),
    check: resource => resource === '',
    error: says.required('must name a resource'),
  }),
  rule<string>({
    at: [
      ...ofBothAPIServers('watchCacheSizes.resources[].resource'),
      ...ofBothAPIServers('watchCacheSizes.resources[].apiGroup'),
    ],
    check: isUpperCase,
    error: says.invalid('must be in lower case'),
  }),
  ...uncarried.map(({ at, sign, detail }) =>
    rule<string>({ at, check: text => sign.test(text), error: says.invalid(detail) }),
  ),
  rule<unknown>({
    at: [...ofBothAPIServers('watchCacheSizes.default'), `${kubeAPIServerPath}.enableAnonymousAuthentication`],
    check: (_, { minor }) => isFrom('1.35', minor),
    error: says.forbidden('is not supported from Kubernetes 1.35 on'),
  }),
  rule<string>({
    at: [`${kubeAPIServerPath}.eventTTL`],
    check: text => {
      const seconds = durationSeconds(text)
      return seconds === undefined || seconds < 0 || seconds > 24 * hour
    },
    error: says.invalid('must be a duration of at most 24h'),
  }),
  mustBeOneOf([`${kubeAPIServerPath}.tlsMinVersion`], tlsVersions),
  rule<object>({
    at: ofBothAPIServers('auditConfig.auditPolicy.configMapRef'),
    check: reference => !('name' in reference) || reference.name === '',
    error: ({ path }) => required(`${path}.name`, 'must name a ConfigMap'),
  }),
  rule<string>({
    at: ofBothAPIServers('auditConfig.auditPolicy.configMapRef.name'),
    check: name => name !== '' && !isSubdomain(name),
    error: says.invalid(subdomainDetail),
  }),
  rule<string>({
    at: ofBothAPIServers('auditConfig.auditPolicy.configMapRef.namespace'),
    check: namespace => namespace !== '' && !isLabel(namespace),
    error: says.invalid('must be the name of a namespace'),
  }),
]
