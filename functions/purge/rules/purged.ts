// Decides when the deletion of a Kyma is stuck, and selects the objects that purge may then change: objects of kinds that modules installed.
// Finalizers of other kinds may protect resources that Espalier does not know, such as databases that a customer's own operator keeps
// outside the cluster.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import { isMap, isText, mapOrEmpty, shownText } from '../../../shared/core/json/json.ts'
import {
  apiVersionOf,
  type GroupVersionKind,
  groupOf,
  hasFinalizer,
  isDeleting,
  type KubeObject,
  type ObjectRef,
} from '../../../shared/core/objects/object.ts'
import { isOfAnother, type Kyma, type Manifest, type ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { isMadeOf } from '../../../shared/kyma/manifests.ts'
import type { PurgeSettings } from '../settings.ts'

export type Purged = {
  readonly kinds: readonly GroupVersionKind[]
  /** Objects of other kinds, but only if modules installed them. */
  readonly objects: readonly ObjectRef[]
}

/** `served`: kinds with a definition in the runtime, which excludes built-in kinds. */
export const purged = (served: readonly CustomKind[], modules: KymaModules, settings: PurgeSettings): Purged => {
  const brought = new Set(broughtKinds(modules).map(groupKindText))
  const isWhole = (kind: CustomKind): boolean =>
    settings.scope === 'all' || kind.isOfModule || brought.has(groupKindText(kind))
  const purgeable = served.filter(kind => !isKind(kind, kymaKind) && !isSkipped(kind, settings.skip))
  const inPart = new Map(purgeable.filter(kind => !isWhole(kind)).map(kind => [groupKindText(kind), kind]))
  return {
    kinds: purgeable.filter(isWhole).map(({ apiVersion, kind }) => ({ apiVersion, kind })),
    objects: modules.manifests.flatMap(manifest => installedOf(manifest, inPart)),
  }
}

/** An entry is `plural.group`, `singular.group`, `Kind.group` or `*.group`. */
const isSkipped = ({ group, names }: CustomKind, skip: readonly string[]): boolean =>
  ['*', ...names].some(name => skip.includes(`${name}.${group}`))

const installedOf = ({ status }: Manifest, kinds: ReadonlyMap<string, CustomKind>): ObjectRef[] =>
  (status?.synced ?? []).flatMap(({ group, kind, namespace, name }) => {
    const served = kinds.get(groupKindText({ group, kind }))
    return served ? [{ apiVersion: served.apiVersion, kind, namespace, name }] : []
  })

export type KymaModules = {
  readonly kyma: Kyma
  readonly manifests: readonly Manifest[]
  /** All ModuleTemplates of the Kyma's namespace. */
  readonly templates: readonly ModuleTemplate[]
}

const broughtKinds = ({ kyma, manifests, templates }: KymaModules): readonly UnversionedKind[] => [
  ...manifests.flatMap(({ spec }) => kindsIn(spec.resource)),
  ...templates
    .filter(template => isInStatus(template, kyma) || manifests.some(manifest => isMadeOf(template, manifest)))
    .flatMap(({ spec }) => [...kindsIn(spec.data), ...(spec.associatedResources ?? [])]),
]

const isInStatus = ({ metadata }: ModuleTemplate, { status }: Kyma): boolean =>
  status?.modules?.some(({ template }) => template?.metadata?.name === metadata.name) ?? false

/** A kind without its version. */
type UnversionedKind = { readonly group: string; readonly kind: string }

export type CustomKind = UnversionedKind & {
  /** The storage version. Objects in this version can be read while a conversion webhook is unavailable. */
  readonly apiVersion: string
  /** The names that users may write before `.<group>`. */
  readonly names: readonly string[]
  readonly isOfModule: boolean
}

const { labels, annotations, managedBy } = kymaNames

/** The fields of a CustomResourceDefinition that purge reads. */
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
const groupKindText = ({ group, kind }: UnversionedKind): string => `${kind}.${group}`

/** The kind of an object that a field names. Empty if the field is empty. */
const kindsIn = (field: unknown): UnversionedKind[] =>
  isMap(field) && isText(field.apiVersion) && isText(field.kind)
    ? [{ group: groupOf(field.apiVersion), kind: field.kind }]
    : []

const isKind = ({ group, kind }: UnversionedKind, other: GroupVersionKind): boolean =>
  group === groupOf(other.apiVersion) && kind === other.kind

const { finalizers } = kymaNames

export const hasPurgeFinalizer = (kyma: Kyma): boolean => hasFinalizer(kyma, finalizers.purge)

/** Whether the modules were removed normally. The function kyma then removes its finalizer from the Kyma. */
export const isFinished = (kyma: Kyma): boolean => !hasFinalizer(kyma, finalizers.kyma)

export const isStuck = (kyma: Kyma, settings: PurgeSettings, now: Date): boolean =>
  isDeleting(kyma) &&
  settings.scope !== 'none' &&
  hasPurgeFinalizer(kyma) &&
  !isFinished(kyma) &&
  !isOfAnother(kyma) &&
  graceLeft(kyma, settings, now) < 0

/** The remaining grace period in seconds. Negative after its end. */
export const graceLeft = ({ metadata }: Kyma, { graceSeconds }: PurgeSettings, now: Date): number =>
  (Date.parse(metadata.deletionTimestamp ?? '') - now.getTime()) / 1_000 + graceSeconds
