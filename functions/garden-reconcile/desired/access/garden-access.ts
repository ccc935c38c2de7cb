// Kubeconfigs with which operators (`gardener`) and Gardener's own parts in the runtime cluster (`gardener-internal`) reach the virtual
// garden as administrators, for twelve hours at a time: the resource manager of the virtual garden renews the token.
import { virtualGardenAccess, virtualGardenHost } from '../../../../shared/api/garden/virtual-garden.ts'
import { apiHost } from '../../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedTexts, secretText } from '../../../../shared/core/objects/secret-text.ts'
import { findObject } from '../../rules/objects.ts'
import { caBundleNow } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/managed-resource.ts'
import { namespace, prefixes } from '../parts/names.ts'
import { gardenClusterRoleBinding, serviceAccountSubject } from '../parts/rbac.ts'
import { tokenSecret } from '../parts/virtual-garden-client.ts'
import { accessKubeconfig } from './access-kubeconfig.ts'

const names = ['gardener', virtualGardenAccess.name] as const

const serverOf = (name: (typeof names)[number], world: World): string =>
  `https://${name === virtualGardenAccess.name ? virtualGardenHost : apiHost(world.garden)}`

/** Secrets gardener and gardener-internal, and ManagedResource shoot-core-gardeneraccess with their rights. */
export const gardenAccess = (world: World): KubeObject[] => [
  ...names.map(name => accessSecretOf(name, world)),
  ...managedResource('shoot-core-gardeneraccess', {
    where: 'virtual',
    keepObjects: true,
    objects: [
      gardenClusterRoleBinding(
        'gardener.cloud:system:gardener',
        names.map(name => serviceAccountSubject(name, 'kube-system')),
        'cluster-admin',
      ),
    ],
  }),
]

const accessSecretOf = (name: (typeof names)[number], world: World): KubeObject => {
  const secret = tokenSecret(name, name)
  const present = findObject(world.runtime, { apiVersion: 'v1', kind: 'Secret', namespace, name })
  const kubeconfig = accessKubeconfig(
    { server: serverOf(name, world), caBundle: caBundleNow(world, 'ca') },
    secretText(present, 'kubeconfig') || undefined,
  )
  const annotations = {
    ...secret.metadata.annotations,
    [`${prefixes.serviceAccount}/token-expiration-duration`]: '12h',
  }
  const metadata = { ...secret.metadata, annotations }
  return { ...secret, metadata, data: encodedTexts({ kubeconfig }) }
}
