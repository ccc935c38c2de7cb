// Managed types exist only while their dependent exists: the kind of a CRD, types of an APIService, or types of an operator
// (`additionalManagedTypes`).
import { isMap, mapOrEmpty, shownText } from '../../core/json/json.ts'
import { groupAndKind, groupOf, type KubeObject } from '../../core/objects/object.ts'
import type { ManagedType } from '../inventory/item.ts'
import type { GroupKind } from '../settings.ts'

export const managedTypesOf = (object: KubeObject): ManagedType[] =>
  (managing[groupAndKind(object)] ?? nothing)(mapOrEmpty(object.spec))

type Spec = Record<string, unknown>

const managing: Readonly<Record<string, (spec: Spec) => ManagedType[]>> = {
  'apiextensions.k8s.io/CustomResourceDefinition': ({ group, names }) => [
    { group: shownText(group), version: '*', kind: shownText(isMap(names) ? names.kind : '') },
  ],
  'apiregistration.k8s.io/APIService': ({ group, version }) => [
    { group: shownText(group), version: shownText(version), kind: '*' },
  ],
}

const nothing = (): ManagedType[] => []

export const ofAnyVersion = (types: readonly GroupKind[]): ManagedType[] =>
  types.map(type => ({ ...type, version: '*' }))

export const isManaged = (types: readonly ManagedType[], type: ManagedType): boolean =>
  types.some(
    ({ group, version, kind }) =>
      isGroupOf(group, type.group) && (version === '*' || version === type.version) && isKindOf(kind, type.kind),
  )

/** Patterns: `*`, `*.suffix` for at least one label before the suffix, or the exact group. Any other `*` matches nothing. */
export const isGroupOf = (pattern: string, group: string): boolean => {
  if (pattern === '*') return true
  if (!pattern.includes('*')) return pattern === group
  const suffix = pattern.slice(1)
  const isWellFormed = pattern.startsWith('*.') && !suffix.includes('*') && suffix.length > 1
  return isWellFormed && group.endsWith(suffix) && group.length > suffix.length
}

const isKindOf = (pattern: string, kind: string): boolean => pattern === '*' || pattern === kind

export const typeOf = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): ManagedType => ({
  group: groupOf(apiVersion),
  version: apiVersion.split('/').at(-1) ?? '',
  kind,
})
