// What a rotation must know about the virtual garden: the name of this cluster in steps, the encrypted kinds, and Seeds. Also how encrypted
// objects are rewritten.
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import type { Reading } from '../../../../shared/core/decisions/reading.ts'
import type { GroupVersionKind, KubeObject } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { kindText } from '../objects.ts'
import type { EncryptingServer } from './encryption-moves.ts'
import { isServedBy } from './encryption-state.ts'

export const virtualGardenCluster = 'virtual-garden'

type KnownKind = GroupVersionKind & { readonly plural: string }

/** `group`: the kind is found by its plural. `isOptional`: if no API server serves the kind, no objects of the kind are stored. */
export type VirtualKind = { readonly isOptional?: true } & (
  | KnownKind
  | { readonly plural: string; readonly group: string; readonly kind?: undefined }
)

export type VirtualQuery = VirtualKind & { readonly labelSelector?: string }

const core = 'core.gardener.cloud'

export const encryptedKinds: Readonly<Record<EncryptingServer, readonly KnownKind[]>> = {
  'kube-apiserver': [{ apiVersion: 'v1', kind: 'Secret', plural: 'secrets' }],
  'gardener-apiserver': [
    { apiVersion: `${core}/v1`, kind: 'ControllerDeployment', plural: 'controllerdeployments' },
    { apiVersion: `${core}/v1beta1`, kind: 'ControllerRegistration', plural: 'controllerregistrations' },
    { apiVersion: `${core}/v1beta1`, kind: 'InternalSecret', plural: 'internalsecrets' },
    { apiVersion: `${core}/v1beta1`, kind: 'ShootState', plural: 'shootstates' },
  ],
}

export const seedKind: KnownKind = { apiVersion: `${core}/v1beta1`, kind: 'Seed', plural: 'seeds' }

/** For example, `projects.core.gardener.cloud`. */
export const virtualKindOf = (resource: string): VirtualKind => {
  const [plural = '', ...group] = resource.split('.')
  const isOptional = isServedBy('kube-apiserver', resource)
  return { plural, group: group.join('.'), ...(isOptional && { isOptional }) }
}

/** The key of the kind in the map of objects that were read. */
export const virtualKindText = (kind: VirtualKind): string =>
  kind.kind === undefined ? `${kind.plural}.${kind.group}` : kindText(kind)

/** If a kind is not served now, it counts as unread, because its objects are still in the etcd. */
export const virtualObjectsOf = ({ virtual }: World, kind: VirtualKind): Reading<readonly KubeObject[]> => {
  if (virtual === undefined) return { failed: 'were not read yet' }
  if ('failed' in virtual) return virtual
  const read = virtual.read.get(virtualKindText(kind)) ?? (kind.isOptional ? [] : undefined)
  return read ? { read } : { failed: 'is not served' }
}

/** The remaining work of a rotation for users of the keys: clients with tokens, Seeds, or encrypted objects. */
export type RotationWork = {
  readonly steps: readonly Step[]
  /** What the rotation waits for. Some of this work continues after the steps. */
  readonly waits: readonly string[]
  readonly longWaits?: readonly string[]
}

export const noWork: RotationWork = { steps: [], waits: [] }

/**
 * Names the key that encrypts the object. Setting the label makes the API server store the object again with its current key. A call sets at most 500
 * labels. The next call finds the objects whose label still differs.
 */
const keyNameLabel = `${prefixes.credentials}/key-name`
const mostWrites = 500

/** `objects`: metadata of at least the objects to rewrite. `keyName`: the Secret that the label must name. Absent: the label is removed. */
export type EncryptedKind = {
  readonly plural: string
  /** The read fails if the API server does not serve the kind. The rotation then waits until the API server serves the kind. */
  readonly objects: Reading<readonly KubeObject[]>
  readonly keyName?: string
}

export type Rewriting = RotationWork & {
  /** Number of objects to rewrite. undefined: not all kinds could be read. */
  readonly left: number | undefined
}

export const unwrittenSelector = (keyName: string | undefined): string =>
  keyName === undefined ? keyNameLabel : `${keyNameLabel}!=${keyName}`

export const rewriting = (kinds: readonly EncryptedKind[]): Rewriting => {
  const failed = kinds.flatMap(({ plural, objects }) => ('failed' in objects ? [`${plural}: ${objects.failed}`] : []))
  const steps = kinds.flatMap(kind => labelSteps(kind))
  const count =
    steps.length > 0
      ? [`${steps.length} encrypted objects: are not encrypted with the key of this rotation phase yet`]
      : []
  const left = failed.length > 0 ? undefined : steps.length
  return { steps: steps.slice(0, mostWrites), waits: [...count, ...failed], left }
}

const labelSteps = ({ objects, keyName }: EncryptedKind): readonly Step[] =>
  'failed' in objects
    ? []
    : objects.read
        .filter(({ metadata }) => metadata.labels?.[keyNameLabel] !== keyName)
        .map(target => ({
          do: 'patch',
          target,
          merge: { metadata: { labels: { [keyNameLabel]: keyName ?? null } } },
          on: virtualGardenCluster,
          isConflictPassing: true,
          isConfidential: true,
        }))
