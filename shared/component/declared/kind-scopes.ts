// Finds out whether a kind is namespaced. CRDs among the manifests take precedence over discovery, because the cluster will serve these
// CRDs.
import { isMap, type JsonMap, mapsIn, shownText } from '../../core/json/json.ts'
import { apiVersionOf, type GroupVersionKind, type KubeObject } from '../../core/objects/object.ts'
import type { ManagedType } from '../inventory/item.ts'
import type { Scope } from '../world.ts'
import { isManaged, managedTypesOf, typeOf } from './managed-types.ts'

/** `unknown`: an APIService among the manifests will serve the kind, but is not available yet. */
export type ScopeOf = (kind: GroupVersionKind) => Scope | 'unknown' | undefined

export const kindKey = ({ apiVersion, kind }: GroupVersionKind): string => `${apiVersion}/${kind}`

export const kindKeyOf = (type: ManagedType): string => kindKey({ apiVersion: apiVersionOf(type), kind: type.kind })

/** The scope is undefined until discovery was read. */
export const scopesIn = (manifests: readonly KubeObject[], known: ReadonlyMap<string, Scope>): ScopeOf => {
  const defined = new Map(manifests.filter(isDefinition).flatMap(definedScopes))
  const served = manifests.filter(isApiService).flatMap(managedTypesOf)
  return kind => {
    const scope = defined.get(kindKey(kind)) ?? known.get(kindKey(kind))
    const isKnown = scope !== undefined && scope !== 'unserved'
    return !isKnown && isManaged(served, typeOf(kind)) ? 'unknown' : scope
  }
}

const isDefinition = ({ apiVersion, kind }: KubeObject): boolean =>
  apiVersion === 'apiextensions.k8s.io/v1' && kind === 'CustomResourceDefinition'

export const isApiService = ({ apiVersion, kind }: GroupVersionKind): boolean =>
  apiVersion === 'apiregistration.k8s.io/v1' && kind === 'APIService'

const definedScopes = ({ spec }: KubeObject): [string, Scope][] => {
  const { group, names, scope, versions } = isMap(spec) ? spec : ({} as JsonMap)
  const kind = isMap(names) ? shownText(names.kind) : ''
  return mapsIn(versions).map(({ name }) => [
    kindKey({ apiVersion: `${shownText(group)}/${shownText(name)}`, kind }),
    scope === 'Namespaced' ? 'namespaced' : 'cluster',
  ])
}
