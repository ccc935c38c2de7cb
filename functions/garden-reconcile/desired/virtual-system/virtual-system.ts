// What the virtual garden has besides Gardener's own programs: its namespace garden, and the rights of people, Seeds and everybody.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { seedAuthorizerWaits } from '../apiserver/apiserver.ts'
import { managedResource } from '../parts/config-object.ts'
import { namespace, prefixes, publicNamespace } from '../parts/names.ts'
import {
  allow,
  everything,
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

/** Whoever has a bootstrap token asks for a certificate; with it, a gardenlet is a Seed. */
const seedRoles = [
  gardenClusterRole('gardener.cloud:system:seed-bootstrapper', [
    allow(certificates, 'certificatesigningrequests', 'create get'),
    allow(certificates, 'certificatesigningrequests/seedclient certificatesigningrequests/shootclient', 'create'),
  ]),
  gardenClusterRoleBinding('gardener.cloud:system:seed-bootstrapper', [groupSubject('system:bootstrappers')]),
]

/** Until the API server asks the seed authorizer what a Seed may do, a Seed may do everything; RBAC would allow it before that is asked. */
const unrestrictedSeeds = [
  gardenClusterRole('gardener.cloud:system:seeds', [everything]),
  gardenClusterRoleBinding('gardener.cloud:system:seeds', [groupSubject('gardener.cloud:system:seeds')]),
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

const contentsIn = (world: World): readonly KubeObject[] => [
  ...namespaces,
  ...peopleRoles,
  gardenClusterRoleBinding('gardener.cloud:admin', [userSubject('system:kube-aggregator')]),
  ...seedRoles,
  ...(seedAuthorizerWaits(world).length > 0 ? unrestrictedSeeds : []),
  ...rolesOfEverybody,
  ...readableConfigMaps({ namespace: 'kube-system', name: 'gardener.cloud:system:read-cluster-identity-configmap' }, [
    'cluster-identity',
  ]),
  ...readableConfigMaps({ namespace: publicNamespace, name: 'gardener.cloud:system:read-gardener-system-public' }, [
    'gardener-info',
    'kube-root-ca.crt',
  ]),
]

export const virtualSystem = (world: World): KubeObject[] =>
  managedResource('garden-system-virtual', { where: 'virtual', objects: contentsIn(world) })
