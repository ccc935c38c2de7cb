// Selects the objects that purge may change: objects of kinds that modules installed. Finalizers of other kinds may protect resources that
// Espalier does not know, such as databases that a customer's own operator keeps outside the cluster.
import { kymaKind } from '../../../shared/api/kyma.ts'
import type { GroupVersionKind, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Kyma, Manifest, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { isMadeOf } from '../../../shared/kyma/manifests.ts'
import type { PurgeSettings } from '../settings.ts'
import { type CustomKind, groupKindText, isKind, kindsIn, type UnversionedKind } from './custom-kind.ts'

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
