// Whose a CustomResourceDefinition is that a module brings and the cluster has already. All objects of its kind go with it, so it is not
// taken over as other objects are. Example: a module brings certificates.cert-manager.io, and the cluster has cert-manager.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { GroupKind } from '../../../shared/component/settings.ts'
import type { World } from '../../../shared/component/world.ts'
import { checks } from '../../../shared/core/decisions/checks.ts'
import { mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { definitionInUse, definitionWritten } from '../reasons.ts'

/** A definition as the cluster has it, with the fields' managers. */
type FoundDefinition = {
  readonly live: KubeObject
  /** Some objects of its kind, without the module's own default object. */
  readonly objects: readonly string[]
}

const { annotations, fieldManagers } = kymaNames

/** Definitions that the Manifest does not list among its own yet. */
export const newDefinitions = (objects: readonly KubeObject[], { status }: Manifest): KubeObject[] => {
  const listed = new Set(status?.synced?.filter(isDefinition).map(({ name }) => name))
  return objects.filter(object => isDefinition(object) && !listed.has(object.metadata.name))
}

export const isDefinition = ({ kind }: { readonly kind: string }): boolean => kind === 'CustomResourceDefinition'

/** Definitions that the module brings and somebody else created after the Manifest had listed them. */
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

/** A definition that nobody made for the Manifest, though it lists it, defines this kind: its objects are none of the module's. */
export const isDefinedByOthers = (kind: GroupKind, world: World): boolean =>
  [...world.observed.live.values()].some(
    object => definesKind(object, kind) && possessionOf(object, world) === 'unowned',
  )

/** Why nothing of the module is applied; undefined: no definition is somebody else's. */
export const definitionsFault = (found: readonly FoundDefinition[]): string | undefined =>
  found
    .filter(({ live }) => !isOfModules(live))
    .map(one => strangersFault(one))
    .find(fault => fault !== undefined)

/** People may apply a definition by hand before they add its module. What a program keeps or anybody uses is somebody else's. */
const strangersFault = checks<[FoundDefinition], string>(
  ({ live }) => {
    const programs = writersOf(live).filter(writer => !ofPeople.test(writer))
    return programs.length > 0 && definitionWritten(refText(refOf(live)), programs)
  },
  ({ live, objects }) => objects.length > 0 && definitionInUse(refText(refOf(live)), objects),
)

/** Field managers of kubectl, such as kubectl-edit, and of browsers, in which people use dashboards. */
const ofPeople = /^(kubectl\b|Mozilla$)/

/** It came with a module: with this one or another one (gather/sharers.ts), also in an installation that is taken over. */
export const isOfModules = (live: KubeObject): boolean =>
  live.metadata.annotations?.[annotations.ownedBy] !== undefined ||
  writersOf(live).includes(fieldManagers.moduleObjects)

/** Who wrote more of it than its status. */
const writersOf = ({ metadata }: KubeObject): string[] =>
  mapsIn(metadata.managedFields)
    .filter(({ subresource }) => !subresource)
    .map(({ manager }) => String(manager))
