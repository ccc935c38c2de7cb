// The objects that a module may install. We trust publishers of modules with runtimes, but not with our own objects in runtimes.
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
