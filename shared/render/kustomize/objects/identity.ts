// How the build identifies objects: by group, version, kind, name and effective namespace. No two objects of a result are equal in all five.
import type { JsonMap } from '../../../core/json/json.ts'
import { nodeScalar } from '../files/documents.ts'

type Gvk = { readonly group: string; readonly version: string; readonly kind: string }

export type GvkPattern = Partial<Gvk>

export type Identity = Gvk & {
  readonly name: string
  readonly namespace: string
  readonly isClusterScoped: boolean
}

export type Scopes = (apiVersion: string, kind: string) => boolean

export const groupAndVersion = (apiVersion: string): { group: string; version: string } => {
  const slash = apiVersion.indexOf('/')
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

export const isSelected = (gvk: Gvk, pattern: GvkPattern): boolean =>
  (!pattern.group || pattern.group === gvk.group) &&
  (!pattern.version || pattern.version === gvk.version) &&
  (!pattern.kind || pattern.kind === gvk.kind)

export const isSameKind = (left: Gvk, right: Gvk): boolean =>
  left.group === right.group && left.version === right.version && left.kind === right.kind

const noNamespaceAtAll = '_non_namespaceable_'

/** `default` if the object names no namespace. Cluster-scoped objects share a namespace of their own, even if they name one. */
export const effectiveNamespace = ({ isClusterScoped, namespace }: Identity): string =>
  isClusterScoped ? noNamespaceAtAll : namespace || 'default'

export const isSameIdentity = (left: Identity, right: Identity): boolean => identityKey(left) === identityKey(right)

export const identityKey = (identity: Identity): string =>
  JSON.stringify([identity.group, identity.version, identity.kind, effectiveNamespace(identity), identity.name])

export const identityText = ({ group, version, kind, name, namespace }: Identity): string =>
  `${kind}.${version}.${group || '[noGrp]'}/${name || '[noName]'}.${namespace || '[noNs]'}`

export const gvkOf = (object: JsonMap): Gvk => ({
  ...groupAndVersion(nodeScalar(object.apiVersion)),
  kind: nodeScalar(object.kind),
})
