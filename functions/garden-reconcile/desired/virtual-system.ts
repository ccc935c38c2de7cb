// Objects of the virtual garden that do not belong to Gardener's programs: namespaces, and the rights of Seeds, all users, administrators
// and viewers, and members of projects. Gardener's controllers bind the roles of projects to the members of each project.
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { managedResource } from './parts/config-object.ts'
import { namespace, prefixes, publicNamespace, role } from './parts/names.ts'
import {
  aggregatedClusterRole,
  allow,
  gardenClusterRole,
  gardenClusterRoleBinding,
  groupSubject,
  namespacedRole,
  type RoleRule,
  roleBinding,
  userSubject,
  verbs,
} from './parts/rbac.ts'

const core = 'core.gardener.cloud'
const security = 'security.gardener.cloud'
const operations = 'operations.gardener.cloud'
const settings = 'settings.gardener.cloud'
const kubernetes = ''
const rbac = 'rbac.authorization.k8s.io'
const othersOfGardener = `seedmanagement.gardener.cloud dashboard.gardener.cloud ${settings} ${operations}`

// Does not include workloadidentities/token of this group: a user with that right could act as the workload.
const credentials = allow(security, 'credentialsbindings workloadidentities', verbs.write)

const specialVerbs = [
  ...['manage-members', 'modify-spec-tolerations-whitelist', 'modify-spec-kubernetes', 'modify-spec-machineimages'],
  ...['modify-spec-providerconfig', 'mark-autonomous'],
].join(' ')

/** Kinds of Kubernetes that administrators of a Garden may change, and viewers may see. */
const kubernetesKinds = (allowed: string): RoleRule[] => [
  allow(kubernetes, 'events namespaces resourcequotas services endpoints', allowed),
  allow('events.k8s.io', 'events', allowed),
  allow(rbac, 'clusterroles clusterrolebindings roles rolebindings', allowed),
  allow('admissionregistration.k8s.io', 'mutatingwebhookconfigurations validatingwebhookconfigurations', allowed),
  allow('apiregistration.k8s.io', 'apiservices', allowed),
  allow('apiextensions.k8s.io', 'customresourcedefinitions', allowed),
  allow('coordination.k8s.io', 'leases', allowed),
]

const admin = [
  allow(core, '*', `${verbs.write} ${specialVerbs}`),
  allow(othersOfGardener, '*', verbs.write),
  credentials,
  ...kubernetesKinds(verbs.write),
  allow('certificates.k8s.io', 'certificatesigningrequests', `${verbs.write} approve deny`),
]

const viewer = [
  allow(
    core,
    'backupbuckets backupentries cloudprofiles namespacedcloudprofiles controllerinstallations quotas projects seeds shoots',
    verbs.read,
  ),
  allow(security, 'credentialsbindings', verbs.read),
  allow(othersOfGardener, '*', verbs.read),
  ...kubernetesKinds(verbs.read),
]

const projectMember = [
  allow(kubernetes, 'secrets configmaps', verbs.write),
  allow(kubernetes, 'events resourcequotas serviceaccounts', verbs.read),
  allow('events.k8s.io', 'events', verbs.read),
  allow(core, 'shoots secretbindings quotas', verbs.write),
  credentials,
  allow(settings, 'openidconnectpresets', verbs.write),
  allow(operations, 'bastions', verbs.write),
  allow(rbac, 'roles rolebindings', verbs.write),
  allow(core, 'shoots/adminkubeconfig shoots/viewerkubeconfig', 'create'),
  allow(core, 'namespacedcloudprofiles', `${verbs.read} create patch update delete`),
]

const projectViewer = [
  allow(kubernetes, 'events configmaps resourcequotas serviceaccounts', verbs.read),
  allow('events.k8s.io', 'events', verbs.read),
  allow(core, 'shoots secretbindings quotas namespacedcloudprofiles', verbs.read),
  allow(security, 'credentialsbindings', verbs.read),
  allow(settings, 'openidconnectpresets', verbs.read),
  allow(operations, 'bastions', verbs.read),
  allow(rbac, 'roles rolebindings', verbs.read),
  allow(core, 'shoots/viewerkubeconfig', 'create'),
]

const serviceAccounts = [
  allow(kubernetes, 'serviceaccounts', verbs.write),
  allow(kubernetes, 'serviceaccounts/token', 'create'),
]

/** Two roles: the first is bound to users, the second has our rules. Extensions add rules to the first role by the label. */
const projectRole = (name: string, rules: readonly RoleRule[]): KubeObject[] => {
  const aggregated = { [`rbac.gardener.cloud/aggregate-to-${name}`]: 'true' }
  const full = `gardener.cloud:system:${name}`
  return [
    gardenClusterRole(`${full}-aggregation`, rules, aggregated),
    aggregatedClusterRole(full, [aggregated], role(name)),
  ]
}

const peopleRoles: readonly KubeObject[] = [
  gardenClusterRole('gardener.cloud:admin', admin, role('admin')),
  aggregatedClusterRole(
    'gardener.cloud:system:administrators',
    [role('admin'), role('project-member'), role('project-serviceaccountmanager')],
    role('administrators'),
  ),
  gardenClusterRole('gardener.cloud:viewer', viewer, role('viewer')),
  aggregatedClusterRole('gardener.cloud:system:viewers', [role('viewer'), role('project-viewer')], role('viewers')),
  ...projectRole('project-member', projectMember),
  ...projectRole('project-viewer', projectViewer),
  ...projectRole('project-serviceaccountmanager', serviceAccounts),
]

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
