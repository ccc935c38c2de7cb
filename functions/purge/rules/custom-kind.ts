// The fields of a CustomResourceDefinition that purge reads.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { isMap, isText, mapOrEmpty, shownText } from '../../../shared/core/json/json.ts'
import { apiVersionOf, type GroupVersionKind, groupOf, type KubeObject } from '../../../shared/core/objects/object.ts'

/** A kind without its version. */
export type UnversionedKind = { readonly group: string; readonly kind: string }

export type CustomKind = UnversionedKind & {
  /** The storage version. Objects in this version can be read while a conversion webhook is unavailable. */
  readonly apiVersion: string
  /** The names that users may write before `.<group>`. */
  readonly names: readonly string[]
  readonly isOfModule: boolean
}

const { labels, annotations, managedBy } = kymaNames

export const customKind = ({ metadata, spec }: KubeObject): CustomKind => {
  const { group, names, versions } = mapOrEmpty(spec)
  const { plural, singular, kind } = mapOrEmpty(names)
  const stored = Array.isArray(versions) ? versions.find(version => isMap(version) && version.storage === true) : {}
  return {
    group: shownText(group),
    kind: shownText(kind),
    apiVersion: apiVersionOf({ group: shownText(group), version: shownText(mapOrEmpty(stored).name) }),
    names: [plural, singular, kind].filter(isText),
    isOfModule:
      metadata.labels?.[labels.managedBy] === managedBy.runtime &&
      metadata.annotations?.[annotations.ownedBy] !== undefined,
  }
}

/** For example, `Telemetry.operator.kyma-project.io`. */
export const groupKindText = ({ group, kind }: UnversionedKind): string => `${kind}.${group}`

/** The kind of an object that a field names. Empty if the field is empty. */
export const kindsIn = (field: unknown): UnversionedKind[] =>
  isMap(field) && isText(field.apiVersion) && isText(field.kind)
    ? [{ group: groupOf(field.apiVersion), kind: field.kind }]
    : []

export const isKind = ({ group, kind }: UnversionedKind, other: GroupVersionKind): boolean =>
  group === groupOf(other.apiVersion) && kind === other.kind
