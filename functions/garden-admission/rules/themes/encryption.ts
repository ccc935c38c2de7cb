// Encryption in etcd: both API servers must use the same known provider and encrypt only resources that they serve.
import {
  alwaysEncrypted,
  encryptedResource,
  gardenerGroups,
  isOfGardener,
} from '../../../../shared/api/garden/gardener-names.ts'
import { forbidden } from '../../../../shared/core/objects/field-error.ts'
import { gardenerAPIServer, kubeAPIServerPath, ofBothAPIServers } from '../paths.ts'
import { eachOnce, type GardenRule, invalidIf, mustBeOneOf, relation, rule, says } from '../rule.ts'

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
    rule<string>({
      at: [`${kubeAPIServerPath}.encryptionConfig.resources[]`],
      check: resource => pattern.test(encryptedResource(resource)),
      error: says.invalid(detail),
    }),
  ),
  rule<string>({
    at: [ofGardener],
    check: resource => !isOfGardener(encryptedResource(resource)),
    error: says.invalid(`must be a resource of {${gardenerGroups.join(',')}}.gardener.cloud`),
  }),
  eachOnce({ at: ofBoth, by: resource => encryptedResource(String(resource)) }),
  ...alwaysEncryptedBy.map(([server, always]) =>
    rule<string>({
      at: [`${server}.encryptionConfig.resources[]`],
      check: resource => always.includes(encryptedResource(resource)),
      error: ({ path, value }) => forbidden(path, `${encryptedResource(value)} are always encrypted`),
    }),
  ),
]
