// Lists all kinds that an API server serves, in discovery order: the preferred version of each group first. discovery.ts finds a single
// kind.
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn } from '../core/json/json.ts'
import { apiVersionOf, type GroupVersionKind } from '../core/objects/object.ts'
import type { ReadClient } from './client-types.ts'
import { rootOf } from './discovery.ts'
import { ApiError, ConnectionError, isNotFound, nothingIf } from './errors.ts'

export type ServedKind = GroupVersionKind & {
  readonly group: string
  readonly plural: string
  readonly isListable: boolean
}

/** The kinds of one group, or of all groups. Groups with an unavailable APIService are left out. */
export const servedKinds = async (client: ReadClient, group?: string): Promise<ServedKind[]> =>
  group === undefined ? allKinds(client) : kindsOf(client, await versionsOfGroup(client, group))

/** The version of the API server, such as `v1.36.3`. */
export const serverVersion = async (client: ReadClient): Promise<string> => {
  const version = await client.raw({ method: 'GET', path: '/version' })
  const { gitVersion } = mapOrEmpty(version)
  const text = isText(gitVersion) ? gitVersion : ''
  if (text.length > versionCharactersMost) throw tooMuch('GET /version: the version is not a semantic version')
  return text
}

const versionCharactersMost = 128
const versionsMost = 1_000
/** Limits the names of all kinds, which are kept in memory and passed to charts. A cluster with a thousand CRDs needs an eighth of this. */
const charactersMost = 2 ** 20

/** Throws when all documents together exceed the limit. */
const bounded = (): ((kinds: ServedKind[]) => ServedKind[]) => {
  let characters = 0
  return kinds => {
    for (const { apiVersion, group, kind, plural } of kinds)
      characters += apiVersion.length + group.length + kind.length + plural.length + 16
    if (characters > charactersMost) throw tooMuch('the API server lists too many kinds')
    return kinds
  }
}

const tooMuch = (sentence: string): ConnectionError => new ConnectionError('excess', 'TOO_MANY', sentence)

type GroupVersion = { group: string; apiVersion: string }

const core: GroupVersion = { group: '', apiVersion: 'v1' }

/** Reads two documents if the API server supports aggregated discovery, otherwise one per group version. */
const allKinds = async (client: ReadClient): Promise<ServedKind[]> => {
  const ask = (path: string) => client.raw({ method: 'GET', path, accept: `${aggregated}, application/json` })
  const [own, groups] = await Promise.all([ask('/api'), ask('/apis')])
  // Each document is checked separately: during an upgrade, API servers of different versions may answer.
  const kinds = await Promise.all([
    isAggregated(own) ? kindsInDiscovery(own) : kindsOf(client, [core]),
    isAggregated(groups)
      ? kindsInDiscovery(groups)
      : kindsOf(client, mapsIn(mapOrEmpty(groups).groups).flatMap(versionsOf)),
  ])
  return bounded()(kinds.flat())
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

const isAggregated = (document: unknown): boolean => isMap(document) && document.kind === 'APIGroupDiscoveryList'

const kindsInDiscovery = (document: unknown): ServedKind[] =>
  mapsIn(mapOrEmpty(document).items).flatMap(item => {
    const { name: group = '' } = mapOrEmpty(item.metadata)
    if (typeof group !== 'string') return []
    return mapsIn(item.versions).flatMap(one => {
      const { version } = one
      return isText(version) ? kindsInVersion(one, { group, apiVersion: apiVersionOf({ group, version }) }) : []
    })
  })

/** `Stale` marks kinds of an unavailable aggregated API server. */
const kindsInVersion = (version: JsonMap, { group, apiVersion }: GroupVersion): ServedKind[] =>
  (version.freshness === 'Stale' ? [] : mapsIn(version.resources)).flatMap(({ resource, responseKind, verbs }) =>
    // A resource without a kind only has subresources.
    isText(resource) && isMap(responseKind) && isText(responseKind.kind)
      ? [{ apiVersion, group, kind: responseKind.kind, plural: resource, isListable: canList(verbs) }]
      : [],
  )

const versionsOfGroup = async (client: ReadClient, group: string): Promise<GroupVersion[]> => {
  if (group === '') return [core]
  const found = await client.raw({ method: 'GET', path: `/apis/${group}` }).catch(nothingIf(isNotFound))
  return isMap(found) ? versionsOf(found) : []
}

const versionsOf = (group: JsonMap): GroupVersion[] => {
  const preferred = isMap(group.preferredVersion) ? group.preferredVersion.groupVersion : undefined
  const { name } = group
  return mapsIn(group.versions)
    .flatMap(({ groupVersion }) =>
      isText(name) && isText(groupVersion) ? [{ group: name, apiVersion: groupVersion }] : [],
    )
    .sort((a, b) => Number(b.apiVersion === preferred) - Number(a.apiVersion === preferred))
}

const kindsOf = async (client: ReadClient, versions: readonly GroupVersion[]): Promise<ServedKind[]> => {
  if (versions.length > versionsMost) throw tooMuch('the API server lists too many groups')
  const allowed = bounded()
  return (await Promise.all(versions.map(async version => allowed(await kindsIn(client, version))))).flat()
}

const kindsIn = async (client: ReadClient, { apiVersion, group }: GroupVersion): Promise<ServedKind[]> => {
  const resources = await client.raw({ method: 'GET', path: rootOf(apiVersion) }).catch(nothingIf(isAway))
  return mapsIn(mapOrEmpty(resources).resources).flatMap(({ name, kind, verbs }) =>
    isText(name) && isText(kind) && !name.includes('/')
      ? [{ apiVersion, group, kind, plural: name, isListable: canList(verbs) }]
      : [],
  )
}

const canList = (verbs: unknown): boolean => Array.isArray(verbs) && verbs.includes('list')

/** Includes the error of an unavailable aggregated API server, which serves no kinds. */
const isAway = (error: unknown): boolean => isNotFound(error) || (error instanceof ApiError && error.code >= 500)
