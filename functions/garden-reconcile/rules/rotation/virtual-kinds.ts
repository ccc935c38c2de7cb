// What a rotation has to know of the virtual garden: how steps reach it, the kinds that are stored encrypted there, and Seeds.
import type { Reading } from '../../../../shared/core/decisions/reading.ts'
import type { GroupVersionKind, KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { objectsOf, servesKind } from '../objects.ts'
import type { EncryptingServer } from './encryption-moves.ts'

/** The virtual garden's name in steps. */
export const virtualGardenCluster = 'virtual-garden'

type VirtualKind = GroupVersionKind & { readonly plural: string }

/** Which objects of a kind are read. */
export type VirtualQuery = VirtualKind & { readonly labelSelector?: string }

const core = 'core.gardener.cloud'

export const encryptedKinds: Readonly<Record<EncryptingServer, readonly VirtualKind[]>> = {
  'kube-apiserver': [{ apiVersion: 'v1', kind: 'Secret', plural: 'secrets' }],
  'gardener-apiserver': [
    { apiVersion: `${core}/v1`, kind: 'ControllerDeployment', plural: 'controllerdeployments' },
    { apiVersion: `${core}/v1beta1`, kind: 'ControllerRegistration', plural: 'controllerregistrations' },
    { apiVersion: `${core}/v1beta1`, kind: 'InternalSecret', plural: 'internalsecrets' },
    { apiVersion: `${core}/v1beta1`, kind: 'ShootState', plural: 'shootstates' },
  ],
}

export const seedKind: VirtualKind = { apiVersion: `${core}/v1beta1`, kind: 'Seed', plural: 'seeds' }

/** A kind that is not served now counts as unread: its objects are in the etcd all the same. */
export const virtualObjectsOf = ({ virtual }: World, kind: VirtualKind): Reading<readonly KubeObject[]> => {
  if (virtual === undefined) return { failed: 'were not read yet' }
  if ('failed' in virtual) return virtual
  return servesKind(virtual.read, kind) ? { read: objectsOf(virtual.read, kind) } : { failed: 'is not served' }
}
