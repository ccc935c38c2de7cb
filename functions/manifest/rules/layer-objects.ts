// Objects that a module may install. We trust publishers of modules with runtimes, but not with the objects that this control plane keeps there.
import {
  kymaKind,
  manifestKind,
  moduleReleaseMetaKind,
  moduleTemplateKind,
  watcherKind,
} from '../../../shared/api/kyma.ts'
import { checks } from '../../../shared/core/decisions/checks.ts'
import { shownText } from '../../../shared/core/json/json.ts'
import { groupOf, type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import { isPathSegment } from '../../../shared/core/objects/path-segment.ts'
import { engineName } from '../desired/module-objects.ts'
import { annotationUnfit, notOfModules, tooManyNames } from '../reasons.ts'

const ownKinds: readonly string[] = [
  kymaKind,
  moduleTemplateKind,
  moduleReleaseMetaKind,
  manifestKind,
  watcherKind,
].map(({ kind }) => kind)
const ownGroup = groupOf(kymaKind.apiVersion)
const ownDefinitions: readonly string[] = ownKinds.map(kind => `${kind.toLowerCase()}s.${ownGroup}`)

/** API servers store objects of up to 1.5 MB, and the status holds more than its list. */
const listedCharactersMost = 1_000_000

export const objectsFault = checks<[readonly KubeObject[]], string>(
  objects => {
    const ours = objects.filter(isOwn).map(object => refText(refOf(object)))
    return ours.length > 0 && notOfModules(ours)
  },
  objects => firstUnfit(objects),
  objects => listedCharacters(objects) > listedCharactersMost && tooManyNames(objects.length),
)

/** The definition of a kind that the control plane brings to runtimes, or reads; or an object of such a kind. */
function isOwn({ apiVersion, kind, metadata }: KubeObject): boolean {
  if (kind === 'CustomResourceDefinition') return ownDefinitions.includes(metadata.name)
  return groupOf(apiVersion) === ownGroup && ownKinds.includes(kind)
}

/**
 * The first forbidden annotation. With it the engine would delete objects that must stay, or repeat an action for ever, because it cannot
 * remember it.
 */
function firstUnfit(objects: readonly KubeObject[]): string | undefined {
  return objects.flatMap(object =>
    unfitAnnotations.filter(one => isUnfit(object, one)).map(({ key }) => annotationUnfit(refText(refOf(object)), key)),
  )[0]
}

type Unfit = { readonly key: string; readonly value?: string; readonly kinds?: readonly string[] }

/** status.synced has room for keys only, so no object counts as completed in the next pass. */
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

/** The object can be read. The engine reports any other name as invalid. */
export const isNamed = ({ metadata }: KubeObject): boolean => isPathSegment(String(metadata.name ?? ''))
