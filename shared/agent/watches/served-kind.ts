// The kind by which an API server serves a resource: webhooks are told of resources, watches of kinds.
import type { WatchedResource } from '../../api/kyma/watched-resource.ts'
import { isText, mapOrEmpty, mapsIn } from '../../core/json/json.ts'
import { apiVersionOf, type GroupVersionKind } from '../../core/objects/object.ts'
import type { Client } from '../../kube/client-types.ts'
import { rootOf } from '../../kube/discovery/built-in-kinds.ts'

/** Rejects when the API server cannot be asked or serves no such resource. */
export const servedKind = async (client: Client, watched: WatchedResource): Promise<GroupVersionKind> => {
  const apiVersion = await servedVersion(client, watched)
  const { resources } = mapOrEmpty(await client.raw({ method: 'GET', path: rootOf(apiVersion) }))
  const list = mapsIn(resources)
  const kind = list.find(({ name }) => name === watched.resource)?.kind
  if (!isText(kind)) throw new Error(`${apiVersion} has no ${watched.resource}`)
  return { apiVersion, kind }
}

const servedVersion = async (client: Client, { group, version }: WatchedResource): Promise<string> => {
  if (group === '') return 'v1'
  if (version !== '*') return apiVersionOf({ group, version })
  const { preferredVersion } = mapOrEmpty(await client.raw({ method: 'GET', path: `/apis/${group}` }))
  const { groupVersion } = mapOrEmpty(preferredVersion)
  if (!isText(groupVersion)) throw new Error(`the API group ${group} has no version`)
  return groupVersion
}
