// Encryption in etcd: a provider that both API servers know, the same for both, and resources that each of them serves.
import { gardenerAlwaysEncrypted, gardenerGroups } from '../../../../shared/api/garden/gardener-names.ts'
import { forbidden } from '../field-error.ts'
import { gardenerAPIServer, kubeAPIServerPath, ofBothAPIServers } from '../paths.ts'
import { eachOnce, type GardenRule, relation, rule, says } from '../rule.ts'

const types: readonly string[] = ['aescbc', 'aesgcm', 'secretbox']

const ofBoth = ofBothAPIServers('encryptionConfig.resources')
const ofEach = ofBothAPIServers('encryptionConfig.resources[]')
const ofGardener = `${gardenerAPIServer}.encryptionConfig.resources[]`

/** `secrets.` is the resource of the core group, as `secrets` is. */
const named = (resource: string): string => (resource.endsWith('.') ? resource.slice(0, -1) : resource)

const isGardeners = (resource: string): boolean =>
  gardenerGroups.some(group => named(resource).endsWith(`.${group}.gardener.cloud`))

const alwaysEncrypted: Readonly<Record<string, readonly string[]>> = {
  [kubeAPIServerPath]: ['secrets'],
  [gardenerAPIServer]: gardenerAlwaysEncrypted,
}

export const encryptionRules: readonly GardenRule[] = [
  rule<string>({
    at: ofBothAPIServers('encryptionConfig.provider.type'),
    check: type => !types.includes(type),
    error: says.notSupported(types),
  }),
  relation<string>({
    at: [`${gardenerAPIServer}.encryptionConfig.provider.type`],
    check: (type, { garden }) => {
      const other = garden.spec.virtualCluster.kubernetes.kubeAPIServer?.encryptionConfig?.provider.type
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
  rule<string>({
    at: [ofGardener],
    check: resource => !isGardeners(resource),
    error: says.invalid(`must be a resource of {${gardenerGroups.join(',')}}.gardener.cloud`),
  }),
  eachOnce({ at: ofBoth, by: resource => named(String(resource)) }),
  ...Object.entries(alwaysEncrypted).map(([server, always]) =>
    rule<string>({
      at: [`${server}.encryptionConfig.resources[]`],
      check: resource => always.includes(named(resource)),
      error: ({ path, value }) => forbidden(path, `${named(value)} are always encrypted`),
    }),
  ),
]
