// Rights of users in the virtual garden: administrators and viewers of the whole virtual garden; members, viewers and service account
// managers of a project. Gardener's controllers bind the roles of projects to the members of each project.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { role } from '../parts/names.ts'
import { aggregatedClusterRole, allow, gardenClusterRole, type RoleRule, verbs } from '../parts/rbac.ts'

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

export const peopleRoles: readonly KubeObject[] = [
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
