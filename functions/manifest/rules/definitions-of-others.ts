// Whose a CustomResourceDefinition is that a module brings and the cluster has already. All objects of its kind go with it, so it is not
// taken over as other objects are. Example: a module brings certificates.cert-manager.io, and the cluster has cert-manager.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { checks } from '../../../shared/core/decisions/checks.ts'
import { mapsIn } from '../../../shared/core/json/json.ts'
import { type KubeObject, keyOf, keyText, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { definitionInUse, definitionOwned, definitionWritten } from '../reasons.ts'

/** A definition as the cluster has it, with the fields' managers. */
export type FoundDefinition = {
  readonly live: KubeObject
  /** The key of another Manifest that has it. That Manifest exists and is not being deleted. */
  readonly owner?: string
  /** Some objects of its kind, without the module's own default object. */
  readonly objects: readonly string[]
}

const { annotations, fieldManagers } = kymaNames

/** Definitions that the Manifest does not list among its own yet. */
export const newDefinitions = (objects: readonly KubeObject[], { status }: Manifest): KubeObject[] => {
  const listed = new Set(status?.synced?.filter(isDefinition).map(({ name }) => name))
  return objects.filter(object => isDefinition(object) && !listed.has(object.metadata.name))
}

const isDefinition = ({ kind }: { readonly kind: string }): boolean => kind === 'CustomResourceDefinition'

/** Why nothing of the module is applied; undefined: no definition is somebody else's. */
export const definitionsFault = (found: readonly FoundDefinition[]): string | undefined =>
  found.map(one => definitionFault(one)).find(fault => fault !== undefined)

const definitionFault = checks<[FoundDefinition], string>(
  ({ live, owner }) => owner !== undefined && definitionOwned(refText(refOf(live)), owner),
  found => !isOfModules(found.live) && strangersFault(found),
)

/** People may apply a definition by hand before they add its module. What a program keeps or anybody uses is somebody else's. */
const strangersFault = checks<[FoundDefinition], string>(
  ({ live }) => {
    const programs = writersOf(live).filter(writer => !/^kubectl\b/.test(writer))
    return programs.length > 0 && definitionWritten(refText(refOf(live)), programs)
  },
  ({ live, objects }) => objects.length > 0 && definitionInUse(refText(refOf(live)), objects),
)

/** It came with a module: with this one, or with one whose Manifest is gone. A landscape that is taken over has such definitions. */
export const isOfModules = (live: KubeObject): boolean =>
  live.metadata.annotations?.[annotations.ownedBy] !== undefined ||
  writersOf(live).includes(fieldManagers.moduleObjects)

/** Who wrote more of it than its status. */
const writersOf = ({ metadata }: KubeObject): string[] =>
  mapsIn(metadata.managedFields)
    .filter(({ subresource }) => !subresource)
    .map(({ manager }) => String(manager))

/** The name of the other Manifest that a definition names. Whoever owns the runtime can write any text there. */
export const otherOwner = (live: KubeObject, manifest: Manifest): string | undefined => {
  const noted = live.metadata.annotations?.[annotations.ownedBy] ?? ''
  const [namespace, name, ...rest] = noted.split('/')
  const isOther = namespace === manifest.metadata.namespace && noted !== keyText(keyOf(manifest))
  return isOther && rest.length === 0 ? name || undefined : undefined
}
