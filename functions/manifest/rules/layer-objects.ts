// The objects that a module may install. We trust publishers of modules with runtimes, but not with our own objects in runtimes. An existing
// CustomResourceDefinition is not taken over like other objects, because its deletion deletes all objects of its kind. Example: a module
// contains certificates.cert-manager.io, and the cluster already has cert-manager.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import {
  kymaKind,
  manifestKind,
  moduleReleaseMetaKind,
  moduleTemplateKind,
  watcherKind,
} from '../../../shared/api/kyma.ts'
import { possessionOf } from '../../../shared/component/ownership.ts'
import type { GroupKind } from '../../../shared/component/settings.ts'
import type { World } from '../../../shared/component/world.ts'
import { checks } from '../../../shared/core/decisions/checks.ts'
import { mapOrEmpty, mapsIn, shownText } from '../../../shared/core/json/json.ts'
import { isPathSegment } from '../../../shared/core/objects/dns-name.ts'
import { groupOf, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { engineName } from '../desired/module-objects.ts'
import { annotationUnfit, definitionInUse, definitionWritten, notOfModules, tooManyNames } from '../reasons.ts'

const ownKinds: readonly string[] = [
  kymaKind,
  moduleTemplateKind,
  moduleReleaseMetaKind,
  manifestKind,
  watcherKind,
].map(({ kind }) => kind)
const ownGroup = groupOf(kymaKind.apiVersion)
const ownDefinitions: readonly string[] = ownKinds.map(kind => `${kind.toLowerCase()}s.${ownGroup}`)

/** API servers store objects of up to 1.5 MB. The rest is for the other fields of the Manifest. */
const listedCharactersMost = 1_000_000

export const objectsFault = checks<[readonly KubeObject[]], string>(
  objects => {
    const ours = objects.filter(isOwn).map(object => refText(refOf(object)))
    return ours.length > 0 && notOfModules(ours)
  },
  objects => firstUnfit(objects),
  objects => listedCharacters(objects) > listedCharactersMost && tooManyNames(objects.length),
)

/** A definition that the control plane installs in runtimes or reads, or an object of its kind. */
function isOwn({ apiVersion, kind, metadata }: KubeObject): boolean {
  if (kind === 'CustomResourceDefinition') return ownDefinitions.includes(metadata.name)
  return groupOf(apiVersion) === ownGroup && ownKinds.includes(kind)
}

/**
 * The first forbidden annotation. With such an annotation, the engine would delete objects that must stay, or repeat an action without end,
 * because it cannot store that the action is done.
 */
function firstUnfit(objects: readonly KubeObject[]): string | undefined {
  return objects.flatMap(object =>
    unfitAnnotations.filter(one => isUnfit(object, one)).map(({ key }) => annotationUnfit(refText(refOf(object)), key)),
  )[0]
}

type Unfit = { readonly key: string; readonly value?: string; readonly kinds?: readonly string[] }

/** status.synced can store only keys, so the next pass would not know that an object is completed. */
const unfitAnnotations: readonly Unfit[] = [
  { key: `${engineName}/purge-order` },
  { key: `${engineName}/delete-hook` },
  { key: `${engineName}/update-policy`, value: 'recreate', kinds: ['Namespace', 'CustomResourceDefinition'] },
]

function isUnfit({ kind, metadata }: KubeObject, { key, value, kinds = [kind] }: Unfit): boolean {
  const said = metadata.annotations?.[key]
  return said !== undefined && kinds.includes(kind) && (value === undefined || shownText(said).toLowerCase() === value)
}

/** The length of the list in status.synced. */
function listedCharacters(objects: readonly KubeObject[]): number {
  return objects.reduce((sum, object) => sum + JSON.stringify(refOf(object)).length, 0)
}

/** Whether the object can be read by its name. The engine reports all other names as invalid. */
export const isNamed = ({ metadata }: KubeObject): boolean => isPathSegment(String(metadata.name ?? ''))

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
