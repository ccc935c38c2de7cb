// Decides who owns a CustomResourceDefinition that a module contains and that already exists in the cluster. Such a definition is not taken
// over like other objects, because its deletion deletes all objects of its kind. Example: a module contains certificates.cert-manager.io,
// and the cluster already has cert-manager.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { possessionOf } from '../../../shared/component/ownership.ts'
import type { GroupKind } from '../../../shared/component/settings.ts'
import type { World } from '../../../shared/component/world.ts'
import { checks } from '../../../shared/core/decisions/checks.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { definitionInUse, definitionWritten } from '../reasons.ts'

/** A live definition with its managed fields. */
type FoundDefinition = {
  readonly live: KubeObject
  /** Some objects of the definition's kind, without the module's default object. */
  readonly objects: readonly string[]
}

const { annotations, fieldManagers } = kymaNames

/** Definitions that the Manifest does not list yet. */
export const newDefinitions = (objects: readonly KubeObject[], { status }: Manifest): KubeObject[] => {
  const listed = new Set(status?.synced?.filter(isDefinition).map(({ name }) => name))
  return objects.filter(object => isDefinition(object) && !listed.has(object.metadata.name))
}

export const isDefinition = ({ kind }: { readonly kind: string }): boolean => kind === 'CustomResourceDefinition'

/** Definitions of the module that another program or user created after the Manifest had listed them. */
export const unownedDefinitions = (world: World): KubeObject[] => {
  const brought = new Set(world.manifests.filter(isDefinition).map(({ metadata }) => metadata.name))
  return [...world.observed.live.values()].filter(
    object => isDefinition(object) && brought.has(object.metadata.name) && possessionOf(object, world) === 'unowned',
  )
}

export const definesKind = (object: KubeObject, { group, kind }: GroupKind): boolean => {
  const { group: defined, names } = mapOrEmpty(object.spec)
  return isDefinition(object) && defined === group && mapOrEmpty(names).kind === kind
}

/** The Manifest lists a definition that was not created for it. Objects of the definition's kind do not belong to the module. */
export const isDefinedByOthers = (kind: GroupKind, world: World): boolean =>
  [...world.observed.live.values()].some(
    object => definesKind(object, kind) && possessionOf(object, world) === 'unowned',
  )

/** Why no object of the module is applied. undefined: every definition is ours or can be taken over. */
export const definitionsFault = (found: readonly FoundDefinition[]): string | undefined =>
  found
    .filter(({ live }) => !isOfModules(live))
    .map(one => strangersFault(one))
    .find(fault => fault !== undefined)

/**
 * Users may apply a definition by hand before they add its module. A definition that is maintained by a program, or that is in use, does
 * not belong to the module.
 */
const strangersFault = checks<[FoundDefinition], string>(
  ({ live }) => {
    const programs = writersOf(live).filter(writer => !ofPeople.test(writer))
    return programs.length > 0 && definitionWritten(refText(refOf(live)), programs)
  },
  ({ live, objects }) => objects.length > 0 && definitionInUse(refText(refOf(live)), objects),
)

/** Field managers of users: kubectl, for example kubectl-edit, and browsers, because users work with dashboards. */
const ofPeople = /^(kubectl\b|Mozilla$)/

/** Whether the definition came with this module or another module (gather/sharers.ts), also in an installation that is taken over. */
export const isOfModules = (live: KubeObject): boolean =>
  live.metadata.annotations?.[annotations.ownedBy] !== undefined ||
  writersOf(live).includes(fieldManagers.moduleObjects)

/** Field managers that wrote more than the status. */
const writersOf = ({ metadata }: KubeObject): string[] =>
  mapsIn(metadata.managedFields)
    .filter(({ subresource }) => !subresource)
    .map(({ manager }) => String(manager))
