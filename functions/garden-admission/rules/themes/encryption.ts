// Encryption in etcd: a provider that both API servers know, the same for both, and resources that each of them serves.
import {
  alwaysEncrypted,
  encryptedResource,
  gardenerGroups,
  isOfGardener,
} from '../../../../shared/api/garden/gardener-names.ts'
import { forbidden } from '../../../../shared/core/objects/field-error.ts'
import { gardenerAPIServer, kubeAPIServerPath, ofBothAPIServers } from '../paths.ts'
import { eachOnce, type GardenRule, relation, rule, says } from '../rule.ts'

const types: readonly string[] = ['aescbc', 'aesgcm', 'secretbox']

const ofBoth = ofBothAPIServers('encryptionConfig.resources')
const ofEach = ofBothAPIServers('encryptionConfig.resources[]')
const ofGardener = `${gardenerAPIServer}.encryptionConfig.resources[]`

/** kube-apiserver does not start with the first two; the others have no objects that an API serves. */
const unencryptable = [
  { of: /\.events\.k8s\.io$/, detail: 'is stored as events: name events instead' },
  { of: /\.extensions$/, detail: 'must be of a group that there is: extensions was removed' },
  {
    of: /^(apiserveripinfo|serviceipallocations|servicenodeportallocations)$/,
    detail: 'must be a resource that an API serves',
  },
] as const

const alwaysEncryptedBy: readonly [server: string, resources: readonly string[]][] = [
  [kubeAPIServerPath, alwaysEncrypted['kube-apiserver']],
  [gardenerAPIServer, alwaysEncrypted['gardener-apiserver']],
]

export const encryptionRules: readonly GardenRule[] = [
  rule<string>({
    at: ofBothAPIServers('encryptionConfig.provider.type'),
    check: type => !types.includes(type),
    error: says.notSupported(types),
  }),
  relation<string>({
    at: [`${gardenerAPIServer}.encryptionConfig.provider.type`],
    check: (type, { garden }) => {
      const other = garden.spec.virtualCluster.kubernetes.kubeAPIServer?.encryptionConfig?.provider?.type
      return other !== undefined && type !== other
    },
    error: says.invalid(`must be that of ${kubeAPIServerPath}`),
  }),
  rule<string>({
    at: ofEach,
    check: resource => resource.toLowerCase() !== resource,
    error: says.invalid('must be in lower case'),
  }),
  rule<string>({
    at: ofEach,
    check: resource => resource.includes('*'),
    error: says.invalid('must not have wildcards'),
  }),
  ...unencryptable.map(({ of, detail }) =>
    rule<string>({
      at: [`${kubeAPIServerPath}.encryptionConfig.resources[]`],
      check: resource => of.test(encryptedResource(resource)),
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
