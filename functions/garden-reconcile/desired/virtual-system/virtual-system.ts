// Objects of the virtual garden that do not belong to Gardener's programs: namespaces, and the rights of administrators, Seeds and all
// users.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { managedResource } from '../parts/config-object.ts'
import { namespace, prefixes, publicNamespace } from '../parts/names.ts'
import {
  allow,
  gardenClusterRole,
  gardenClusterRoleBinding,
  groupSubject,
  namespacedRole,
  roleBinding,
  userSubject,
  verbs,
} from '../parts/rbac.ts'
import { peopleRoles } from './people-roles.ts'

const everybody = [groupSubject('system:authenticated')]
const certificates = 'certificates.k8s.io'

const namespaces: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: namespace,
      labels: { app: 'gardener' },
      annotations: { [`${prefixes.resources}/keep-object`]: 'true' },
    },
  },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: publicNamespace } },
]

/**
 * A client with a bootstrap token may request a certificate. With the certificate, a gardenlet acts as a Seed. The seed authorizer decides
 * what a Seed may do beyond the rights of all users.
 */
const seedRoles = [
  gardenClusterRole('gardener.cloud:system:seed-bootstrapper', [
    allow(certificates, 'certificatesigningrequests', 'create get'),
    allow(certificates, 'certificatesigningrequests/seedclient certificatesigningrequests/shootclient', 'create'),
  ]),
  gardenClusterRoleBinding('gardener.cloud:system:seed-bootstrapper', [groupSubject('system:bootstrappers')]),
]

const rolesOfEverybody = [
  gardenClusterRole('gardener.cloud:system:read-global-resources', [
    allow('core.gardener.cloud', 'cloudprofiles exposureclasses seeds', verbs.read),
    allow('apiextensions.k8s.io', 'customresourcedefinitions', verbs.read),
  ]),
  gardenClusterRoleBinding('gardener.cloud:system:read-global-resources', everybody),
  gardenClusterRole('gardener.cloud:system:user-auth', [
    allow('authentication.k8s.io', 'tokenreviews', 'create'),
    allow('authorization.k8s.io', 'selfsubjectaccessreviews', 'create'),
  ]),
  gardenClusterRoleBinding('gardener.cloud:system:user-auth', everybody),
  gardenClusterRole('gardener.cloud:system:project-creation', [allow('core.gardener.cloud', 'projects', 'create')]),
]

const readableConfigMaps = (place: { namespace: string; name: string }, names: readonly string[]) => [
  namespacedRole(place, [{ ...allow('', 'configmaps', verbs.read), resourceNames: names }]),
  roleBinding(place, everybody),
]

const contents: readonly KubeObject[] = [
  ...namespaces,
  ...peopleRoles,
  gardenClusterRoleBinding('gardener.cloud:admin', [userSubject('system:kube-aggregator')]),
  ...seedRoles,
  ...rolesOfEverybody,
  ...readableConfigMaps({ namespace: 'kube-system', name: 'gardener.cloud:system:read-cluster-identity-configmap' }, [
    'cluster-identity',
  ]),
  ...readableConfigMaps({ namespace: publicNamespace, name: 'gardener.cloud:system:read-gardener-system-public' }, [
    'gardener-info',
    'kube-root-ca.crt',
  ]),
]

export const virtualSystem = (): KubeObject[] =>
  managedResource('garden-system-virtual', { where: 'virtual', objects: contents })
