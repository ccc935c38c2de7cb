// What a rotation must know about the virtual garden: the name of this cluster in steps, the encrypted kinds, and Seeds.
import type { Reading } from '../../../../shared/core/decisions/reading.ts'
import type { GroupVersionKind, KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { kindText } from '../objects.ts'
import { isServedBy } from './encrypted-resources.ts'
import type { EncryptingServer } from './encryption-moves.ts'

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
