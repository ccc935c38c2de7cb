// Finds the path of a kind on one API server, with a cache per group and version. An unknown kind is requested again, because its CRD may
// just have been created.
import { mapOrEmpty, mapsIn } from '../../core/json/json.ts'
import type { GroupVersionKind } from '../../core/objects/object.ts'
import { ApiError, isNotFound, KindNotServed, nothingIf } from '../errors.ts'
import { builtInResource, type Resource, rootOf } from './built-in-kinds.ts'

export type Discovery = {
  /** Returns a known kind at once, otherwise asks the API server. Rejects with KindNotServed. */
  find(kind: GroupVersionKind, fetch: Fetch): Resource | Promise<Resource>
  /** Always asks the API server. Rejects with KindNotServed. */
  findAgain(kind: GroupVersionKind, fetch: Fetch): Promise<Resource>
}

type Fetch = (path: string) => Promise<unknown>

type Served = ReadonlyMap<string, Resource>

export const discovery = (): Discovery => {
  const groupVersions = new Map<string, Served>()
  const findAgain = async (kind: GroupVersionKind, fetch: Fetch): Promise<Resource> => {
    const served = await servedIn(kind.apiVersion, fetch)
    groupVersions.set(kind.apiVersion, served)
    const resource = served.get(kind.kind)
    if (!resource) throw new KindNotServed(kind)
    return resource
  }
  return {
    findAgain,
    find: (kind, fetch) =>
      groupVersions.get(kind.apiVersion)?.get(kind.kind) ?? builtInResource(kind) ?? findAgain(kind, fetch),
  }
}

/**
 * Calls `use` with the resource of a kind. If the API server does not know the path of the resource, for example because the CRD was
 * replaced, discovery runs again.
 */
export const withResource = async <T>(
  known: Discovery,
  { kind, fetch }: { kind: GroupVersionKind; fetch: Fetch },
  use: (resource: Resource) => Promise<T>,
): Promise<T> => {
  const found = known.find(kind, fetch)
  const resource = found instanceof Promise ? await found : found
  try {
    return await use(resource)
  } catch (error) {
    if (!isPathNotServed(error)) throw error
    const again = await known.findAgain(kind, fetch)
    if (isSame(again, resource)) throw new KindNotServed(kind)
    return use(again)
  }
}

/** A 404 for a missing object contains its name; a 404 for an unknown path does not. */
const isPathNotServed = (error: unknown): boolean =>
  error instanceof ApiError && isNotFound(error) && error.details.name === undefined

const isSame = (a: Resource, b: Resource): boolean => a.plural === b.plural && a.namespaced === b.namespaced

const servedIn = async (apiVersion: string, fetch: Fetch): Promise<Served> =>
  resourcesIn(apiVersion, await fetch(rootOf(apiVersion)).catch(nothingIf(isNotFound)))

/** Limits the memory for kinds. Real group versions have far fewer kinds. */
const kindsMost = 1_000
const isWord = (value: unknown): value is string => typeof value === 'string' && value.length <= 253

/** Reads a metav1.APIResourceList. Leaves out subresources (`pods/log`). */
const resourcesIn = (apiVersion: string, list: unknown): Served => {
  const resources = mapsIn(mapOrEmpty(list).resources)
  return new Map(
    resources
      .filter(({ name, kind }) => isWord(name) && isWord(kind) && !name.includes('/'))
      .slice(0, kindsMost)
      .map(({ kind, name, namespaced }) => [
        String(kind),
        { root: rootOf(apiVersion), plural: String(name), namespaced: namespaced === true },
      ]),
  )
}
