// Answers discovery, as lists and as the aggregated document for newer clients, and /version.
import { createHash } from 'node:crypto'
import { apiVersionOf } from '../core/objects/object.ts'
import type { Kind, Subresource } from './kinds/kind.ts'
import type { Registry } from './kinds/registry.ts'
import type { JsonMap } from './value.ts'

/** Order of Kubernetes versions: v2, v1, v1beta1, v1alpha1. */
const rank = (version: string): number => {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)
  if (!match) return -1
  const [, major = '', stage, minor = '0'] = match
  const level = stage === undefined ? 2 : stage === 'beta' ? 1 : 0
  return level * 1_000_000 + Number(major) * 1000 + Number(minor)
}

const versionsOf = (kinds: readonly Kind[]): string[] =>
  [...new Set(kinds.map(kind => kind.version))].sort((left, right) => rank(right) - rank(left))

const groupsOf = (registry: Registry): Map<string, Kind[]> => Map.groupBy(registry.all(), kind => kind.group)

const storageHash = (kind: Kind): string =>
  createHash('sha256').update(`${kind.group}/${kind.version}/${kind.kind}`).digest().subarray(0, 8).toString('base64')

const isStored = (kind: Kind): boolean => kind.verbs.includes('watch')

const listed = (kind: Kind): JsonMap[] => [
  {
    name: kind.plural,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.verbs,
    ...(kind.shortNames && { shortNames: kind.shortNames }),
    ...(kind.categories && { categories: kind.categories }),
    ...(isStored(kind) && { storageVersionHash: storageHash(kind) }),
  },
  ...kind.subresources.map(sub => listedSubresource(kind, sub)),
]

const listedSubresource = (kind: Kind, sub: Subresource): JsonMap => ({
  name: `${kind.plural}/${sub.name}`,
  singularName: '',
  namespaced: kind.namespaced,
  ...(apiVersionOf(sub) === apiVersionOf(kind) ? {} : { group: sub.group, version: sub.version }),
  kind: sub.kind,
  verbs: sub.verbs,
})

export const apiVersions = (address: string): JsonMap => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
})

const groupDocument = (group: string, kinds: readonly Kind[]): JsonMap => {
  const versions = versionsOf(kinds).map(version => ({ groupVersion: `${group}/${version}`, version }))
  return { name: group, versions, preferredVersion: versions[0] }
}

export const groupList = (registry: Registry): JsonMap => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: [...groupsOf(registry)]
    .filter(([group]) => group !== '')
    .map(([group, kinds]) => groupDocument(group, kinds)),
})

export const oneGroup = (registry: Registry, group: string): JsonMap | undefined => {
  const kinds = groupsOf(registry).get(group)
  return kinds && { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(group, kinds) }
}

export const resourceList = (registry: Registry, group: string, version: string): JsonMap | undefined => {
  const kinds = registry.all().filter(kind => kind.group === group && kind.version === version)
  if (kinds.length === 0) return undefined
  return {
    kind: 'APIResourceList',
    ...(group && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: kinds.flatMap(listed),
  }
}

const aggregatedResource = (kind: Kind): JsonMap => ({
  resource: kind.plural,
  responseKind: { group: kind.group, version: kind.version, kind: kind.kind },
  scope: kind.namespaced ? 'Namespaced' : 'Cluster',
  singularResource: kind.singular,
  verbs: kind.verbs,
  ...(kind.shortNames && { shortNames: kind.shortNames }),
  ...(kind.categories && { categories: kind.categories }),
  ...(kind.subresources.length && {
    subresources: kind.subresources.map(({ name, group, version, kind: subKind, verbs }) => ({
      subresource: name,
      responseKind: { group, version, kind: subKind },
      verbs,
    })),
  }),
})

export const aggregated = (registry: Registry, isCore: boolean): JsonMap => ({
  kind: 'APIGroupDiscoveryList',
  apiVersion: 'apidiscovery.k8s.io/v2',
  metadata: {},
  items: [...groupsOf(registry)]
    .filter(([group]) => (group === '') === isCore)
    .map(([group, kinds]) => ({
      metadata: group ? { name: group, creationTimestamp: null } : { creationTimestamp: null },
      versions: versionsOf(kinds).map(version => ({
        version,
        resources: kinds.filter(kind => kind.version === version).map(aggregatedResource),
        freshness: 'Current',
      })),
    })),
})

export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

export const wantsAggregated = (accept: string | undefined): boolean =>
  /application\/json\s*;[^,]*as=APIGroupDiscoveryList/.test(accept ?? '') && /v=v2(?!beta)/.test(accept ?? '')

export const version = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3+embedded',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node${process.versions.node}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch}`,
}
