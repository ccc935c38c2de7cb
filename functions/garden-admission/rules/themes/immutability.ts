// Fields that updates must not remove or change: names that clients know, networks in use, high availability, backups.
import { forbidden, invalid } from '../../../../shared/core/objects/field-error.ts'
import { discoveryHost, type Garden } from '../../../../shared/core/objects/garden.ts'
import { dns, etcd, gardenerPath, ingress, networking, virtualClusterPath, virtualServices } from '../paths.ts'
import { type GardenRule, invalidIf, type ReviewedGarden, relation, relationOfEach, says } from '../rule.ts'

const fixed = 'field is immutable'

type DiscoveryServer = { readonly domain?: object }
type Domains = readonly { name: string }[]
type Networks = readonly string[]

/** Lists of networks, with the name that errors use. */
const lists: readonly { name: string; at: string; networksOf: (garden: Garden) => Networks | undefined }[] = [
  ...(['nodes', 'pods', 'services'] as const).map(name => ({
    name,
    at: `${networking}.${name}`,
    networksOf: ({ spec }: Garden) => spec.runtimeCluster.networking[name],
  })),
  { name: 'services', at: virtualServices, networksOf: ({ spec }) => spec.virtualCluster.networking.services },
]

const firstChanged = (now: Domains, then: Domains | undefined): boolean => {
  const [before, after] = [then?.[0]?.name, now[0]?.name]
  return before !== undefined && after !== undefined && before !== after
}

const areGone = (now: Domains = [], then: Domains = []): boolean => now.length === 0 && then.length > 0

const hasHighAvailability = (garden: Garden | undefined): boolean =>
  garden?.spec.virtualCluster.controlPlane?.highAvailability !== undefined

const backupOf = (garden: Garden | undefined) => garden?.spec.virtualCluster.etcd?.main?.backup

/** Rules for a list that may only grow: no item may be removed or moved. */
const onlyGrows = ({ name, at, networksOf }: (typeof lists)[number]): GardenRule[] => {
  const then = ({ before }: ReviewedGarden): Networks => (before && networksOf(before)) ?? []
  return [
    relation<object>({
      at: [parentOf(at)],
      check: (_, subject) => (networksOf(subject.garden) ?? []).length < then(subject).length,
      error: () => forbidden(at, `${name} cannot be removed`),
    }),
    relationOfEach<Networks, number>({
      at: [at],
      check: (networks, subject) =>
        then(subject).flatMap((was, i) => (i < networks.length && networks[i] !== was ? [i] : [])),
      error: ({ path, value }, i) => invalid(`${path}[${i}]`, value[i], fixed),
    }),
  ]
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('.'))

export const immutabilityRules: readonly GardenRule[] = [
  relation<Domains>({
    at: [`${dns}.domains`],
    check: (domains, { before }) => firstChanged(domains, before?.spec.virtualCluster.dns.domains),
    error: ({ path, value }) => invalid(`${path}[0].name`, value[0]?.name, fixed),
  }),
  relation<Domains>({
    at: [`${ingress}.domains`],
    check: (domains, { before }) => firstChanged(domains, before?.spec.runtimeCluster.ingress.domains),
    error: ({ path, value }) => invalid(`${path}[0]`, value[0]?.name, fixed),
  }),
  // If the domain could be removed, another domain could be set afterwards.
  relation<{ domains?: Domains }>({
    at: [ingress],
    check: ({ domains }, { before }) => areGone(domains, before?.spec.runtimeCluster.ingress.domains),
    error: ({ path }) => invalid(`${path}.domains[0]`, null, fixed),
  }),
  ...lists.flatMap(onlyGrows),
  relation<object>({
    at: [virtualClusterPath],
    check: (_, { garden, before }) => hasHighAvailability(before) && !hasHighAvailability(garden),
    error: ({ path }, { garden }) =>
      invalid(`${path}.controlPlane.highAvailability`, garden.spec.virtualCluster.controlPlane ?? null, fixed),
  }),
  relation<object>({
    at: [virtualClusterPath],
    check: (_, { garden, before }) => backupOf(before) !== undefined && backupOf(garden) === undefined,
    error: () => forbidden(`${etcd}.main.backup`, 'cannot be removed after it was set'),
  }),
  relation<{ bucketName?: string }>({
    at: [`${etcd}.main.backup`],
    check: ({ bucketName }, { before }) => bucketName === undefined && Boolean(backupOf(before)?.bucketName),
    error: ({ path }) => forbidden(`${path}.bucketName`, 'cannot be removed after it was set'),
  }),
  relation<string>({
    at: [`${etcd}.main.backup.bucketName`],
    check: (name, { before }) => {
      const then = backupOf(before)?.bucketName
      return then !== undefined && then !== name
    },
    error: says.invalid(fixed),
  }),
  // An empty name is refused, because it could not be changed later.
  invalidIf<string>(
    [`${etcd}.main.backup.bucketName`],
    name => name === '',
    'must be the name of a bucket; leave the field out until the bucket exists',
  ),
  relation<{ gardenerDiscoveryServer?: object }>({
    at: [gardenerPath],
    check: ({ gardenerDiscoveryServer }, { before }) =>
      gardenerDiscoveryServer === undefined &&
      before?.spec.virtualCluster.gardener.gardenerDiscoveryServer !== undefined,
    error: ({ path }) => forbidden(`${path}.gardenerDiscoveryServer`, 'cannot be removed after it was set'),
  }),
  relation<DiscoveryServer>({
    at: [`${gardenerPath}.gardenerDiscoveryServer`],
    check: ({ domain }, { garden, before }) => {
      const then = before?.spec.virtualCluster.gardener.gardenerDiscoveryServer
      const isGiven = domain !== undefined || then?.domain !== undefined
      return before !== undefined && then !== undefined && isGiven && discoveryHost(garden) !== discoveryHost(before)
    },
    error: ({ path, value }) => invalid(`${path}.domain`, value.domain, fixed),
  }),
]
