// Numbers and small settings of both API servers, and encryption in etcd: both must use the same known provider and encrypt only resources that
// they serve.
import {
  alwaysEncrypted,
  encryptedResource,
  gardenerGroups,
  isOfGardener,
} from '../../../../shared/api/garden/gardener-names.ts'
import { isFrom } from '../../../../shared/api/kubernetes/versions.ts'
import { isLabel, isSubdomain, subdomainDetail } from '../../../../shared/core/objects/dns-name.ts'
import { forbidden, required } from '../../../../shared/core/objects/field-error.ts'
import { durationSeconds } from '../../../../shared/core/time/duration.ts'
import { gardenerAPIServer, kubeAPIServerPath, ofBothAPIServers } from '../paths.ts'
import {
  eachOnce,
  forbiddenIf,
  type GardenRule,
  invalidIf,
  mustBeOneOf,
  relation,
  requiredIf,
  rule,
  says,
} from '../rule.ts'

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
  invalidIf<number>(
    [
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
    isNegative,
    'must not be negative',
  ),
  ...[
    { field: 'requests.maxNonMutatingInflight', most: 5_000 },
    { field: 'requests.maxMutatingInflight', most: 2_500 },
  ].map(({ field, most }) =>
    invalidIf<number>(ofBothAPIServers(field), amount => amount > most, `must be at most ${most}`),
  ),
  requiredIf<string>(
    ofBothAPIServers('watchCacheSizes.resources[].resource'),
    resource => resource === '',
    'must name a resource',
  ),
  invalidIf<string>(
    [
      ...ofBothAPIServers('watchCacheSizes.resources[].resource'),
      ...ofBothAPIServers('watchCacheSizes.resources[].apiGroup'),
    ],
    isUpperCase,
    'must be in lower case',
  ),
  ...uncarried.map(({ at, sign, detail }) => invalidIf<string>(at, text => sign.test(text), detail)),
  forbiddenIf<unknown>(
    [...ofBothAPIServers('watchCacheSizes.default'), `${kubeAPIServerPath}.enableAnonymousAuthentication`],
    (_, { minor }) => isFrom('1.35', minor),
    'is not supported from Kubernetes 1.35 on',
  ),
  invalidIf<string>(
    [`${kubeAPIServerPath}.eventTTL`],
    text => {
      const seconds = durationSeconds(text)
      return seconds === undefined || seconds < 0 || seconds > 24 * hour
    },
    'must be a duration of at most 24h',
  ),
  mustBeOneOf([`${kubeAPIServerPath}.tlsMinVersion`], tlsVersions),
  rule<object>({
    at: ofBothAPIServers('auditConfig.auditPolicy.configMapRef'),
    check: reference => !('name' in reference) || reference.name === '',
    error: ({ path }) => required(`${path}.name`, 'must name a ConfigMap'),
  }),
  invalidIf<string>(
    ofBothAPIServers('auditConfig.auditPolicy.configMapRef.name'),
    name => name !== '' && !isSubdomain(name),
    subdomainDetail,
  ),
  invalidIf<string>(
    ofBothAPIServers('auditConfig.auditPolicy.configMapRef.namespace'),
    namespace => namespace !== '' && !isLabel(namespace),
    'must be the name of a namespace',
  ),
]

const types: readonly string[] = ['aescbc', 'aesgcm', 'secretbox']

const ofBoth = ofBothAPIServers('encryptionConfig.resources')
const ofEach = ofBothAPIServers('encryptionConfig.resources[]')
const ofGardener = `${gardenerAPIServer}.encryptionConfig.resources[]`

/** kube-apiserver does not start with the first two resources. The other resources have no objects that an API serves. */
const unencryptable = [
  { pattern: /\.events\.k8s\.io$/, detail: 'is stored as resource events: use events instead' },
  { pattern: /\.extensions$/, detail: 'must not be in group extensions, which Kubernetes removed' },
  {
    pattern: /^(apiserveripinfo|serviceipallocations|servicenodeportallocations)$/,
    detail: 'must be a resource that the API server serves',
  },
] as const

const alwaysEncryptedBy: readonly [server: string, resources: readonly string[]][] = [
  [kubeAPIServerPath, alwaysEncrypted['kube-apiserver']],
  [gardenerAPIServer, alwaysEncrypted['gardener-apiserver']],
]

export const encryptionRules: readonly GardenRule[] = [
  mustBeOneOf(ofBothAPIServers('encryptionConfig.provider.type'), types),
  relation<string>({
    at: [`${gardenerAPIServer}.encryptionConfig.provider.type`],
    check: (type, { garden }) => {
      const other = garden.spec.virtualCluster.kubernetes.kubeAPIServer?.encryptionConfig?.provider?.type
      return other !== undefined && type !== other
    },
    error: says.invalid(`must be equal to ${kubeAPIServerPath}.encryptionConfig.provider.type`),
  }),
  invalidIf<string>(ofEach, resource => resource.toLowerCase() !== resource, 'must be in lower case'),
  invalidIf<string>(ofEach, resource => resource.includes('*'), 'must not have wildcards'),
  ...unencryptable.map(({ pattern, detail }) =>
    invalidIf<string>(
      [`${kubeAPIServerPath}.encryptionConfig.resources[]`],
      resource => pattern.test(encryptedResource(resource)),
      detail,
    ),
  ),
  invalidIf<string>(
    [ofGardener],
    resource => !isOfGardener(encryptedResource(resource)),
    `must be a resource of {${gardenerGroups.join(',')}}.gardener.cloud`,
  ),
  eachOnce({ at: ofBoth, by: resource => encryptedResource(String(resource)) }),
  ...alwaysEncryptedBy.map(([server, always]) =>
    rule<string>({
      at: [`${server}.encryptionConfig.resources[]`],
      check: resource => always.includes(encryptedResource(resource)),
      error: ({ path, value }) => forbidden(path, `${encryptedResource(value)} are always encrypted`),
    }),
  ),
]
