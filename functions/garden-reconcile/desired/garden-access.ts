// Kubeconfigs for administrators of the virtual garden: `gardener` for operators, `gardener-internal` for Gardener's own programs in the
// runtime cluster. A token lasts twelve hours; the resource manager of the virtual garden renews it.
import { virtualGardenAccess, virtualGardenHost } from '../../../shared/api/garden/virtual-garden.ts'
import { isMap, isText, mapsIn } from '../../../shared/core/json/json.ts'
import { apiHost } from '../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedTexts, secretText } from '../../../shared/core/objects/secret-text.ts'
import { yamlOrNothing } from '../../../shared/core/yaml/read.ts'
import { findObject } from '../rules/objects.ts'
import { caBundleNow } from '../rules/secrets/existing-secrets.ts'
import type { World } from '../world.ts'
import { kubeconfigText, managedResource } from './parts/config-object.ts'
import { namespace, prefixes } from './parts/names.ts'
import { gardenClusterRoleBinding, serviceAccountSubject } from './parts/rbac.ts'
import { tokenSecret } from './parts/workload.ts'

const names = ['gardener', virtualGardenAccess.name] as const

const serverOf = (name: (typeof names)[number], world: World): string =>
  `https://${name === virtualGardenAccess.name ? virtualGardenHost : apiHost(world.garden)}`

/** Secrets gardener and gardener-internal, and ManagedResource shoot-core-gardeneraccess with the rights of their users. */
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

/** The resource manager writes the token into each kubeconfig. */
type AccessKubeconfig = {
  readonly server: string
  /** PEM certificates in base64. */
  readonly caBundle: string
}

/** Keeps the token of the present kubeconfig. If server and CA bundle have not changed, the text stays unchanged. */
const accessKubeconfig = (wanted: AccessKubeconfig, present?: string): string => {
  const { cluster, token } = contentOf(present)
  const isCurrent = cluster.server === wanted.server && cluster['certificate-authority-data'] === wanted.caBundle
  if (present !== undefined && isCurrent && token !== '') return present
  return kubeconfigText('garden', { 'certificate-authority-data': wanted.caBundle, server: wanted.server }, { token })
}

/** Empty if the text is not a kubeconfig. */
const contentOf = (text = '') => {
  const kubeconfig = yamlOrNothing(text)
  const { clusters, users } = isMap(kubeconfig) ? kubeconfig : {}
  const [first] = mapsIn(clusters)
  const [firstUser] = mapsIn(users)
  const token = isMap(firstUser?.user) ? firstUser.user.token : undefined
  return { cluster: isMap(first?.cluster) ? first.cluster : {}, token: isText(token) ? token : '' }
}
