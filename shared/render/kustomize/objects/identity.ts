// How the build names objects: group, version, kind, name and the namespace that counts. Two objects with equal identities
// cannot be in one result.
import type { JsonMap } from '../../../core/json/json.ts'
import { nodeScalar } from './nodes.ts'

type Gvk = { readonly group: string; readonly version: string; readonly kind: string }

/** A pattern of kinds: what is absent or '' fits anything. */
export type GvkPattern = Partial<Gvk>

export type Identity = Gvk & {
  readonly name: string
  readonly namespace: string
  readonly isClusterScoped: boolean
}

/** Whether instances of a kind are known to lie in no namespace. */
export type Scopes = (apiVersion: string, kind: string) => boolean

export const groupAndVersion = (apiVersion: string): { group: string; version: string } => {
  const slash = apiVersion.indexOf('/')
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

/** Whether a kind fits a pattern. */
export const isSelected = (gvk: Gvk, pattern: GvkPattern): boolean =>
  (!pattern.group || pattern.group === gvk.group) &&
  (!pattern.version || pattern.version === gvk.version) &&
  (!pattern.kind || pattern.kind === gvk.kind)

export const isSameKind = (left: Gvk, right: Gvk): boolean =>
  left.group === right.group && left.version === right.version && left.kind === right.kind

const noNamespaceAtAll = '_non_namespaceable_'

/** No namespace means `default`; what is cluster-scoped has one of its own, whatever the object says. */
export const effectiveNamespace = ({ isClusterScoped, namespace }: Identity): string =>
  isClusterScoped ? noNamespaceAtAll : namespace || 'default'

export const isSameIdentity = (left: Identity, right: Identity): boolean => identityKey(left) === identityKey(right)

/** Equal for equal identities. */
export const identityKey = (identity: Identity): string =>
  JSON.stringify([identity.group, identity.version, identity.kind, effectiveNamespace(identity), identity.name])

export const identityText = ({ group, version, kind, name, namespace }: Identity): string =>
  `${kind}.${version}.${group || '[noGrp]'}/${name || '[noName]'}.${namespace || '[noNs]'}`

export const gvkOf = (object: JsonMap): Gvk => ({
  ...groupAndVersion(nodeScalar(object.apiVersion)),
  kind: nodeScalar(object.kind),
})
