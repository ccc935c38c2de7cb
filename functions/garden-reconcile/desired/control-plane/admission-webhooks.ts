// The webhooks of the virtual garden that Gardener's admission controller answers.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { Garden } from '../../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { namespace } from '../parts/names.ts'

const server = `https://gardener-admission-controller.${namespace}`

type Rule = {
  readonly operations: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources: readonly string[]
}
type Webhook = {
  readonly name: string
  /** Absent: `/webhooks/NAME`. */
  readonly path?: string
  readonly rules: readonly Rule[]
  readonly only?: JsonMap
}
type ResourceLimits = NonNullable<
  NonNullable<
    Garden['spec']['virtualCluster']['gardener']['gardenerAdmissionController']
  >['resourceAdmissionConfiguration']
>

const made = ['CREATE', 'UPDATE']
const any = [...made, 'DELETE']
const inProjects = { namespaceSelector: { matchLabels: { 'gardener.cloud/role': 'project' } } }
const inProjectsButGarden = {
  namespaceSelector: {
    matchExpressions: [
      { key: 'gardener.cloud/role', operator: 'In', values: ['project'] },
      { key: 'app', operator: 'NotIn', values: ['gardener'] },
    ],
  },
}
const on = (group: string, version: string, resources: string, operations: readonly string[]): Rule => ({
  operations,
  apiGroups: [group],
  apiVersions: [version],
  resources: resources.split(' '),
})
const ofCore = (resources: string, operations: readonly string[]) => on('', 'v1', resources, operations)
const ofGardener = (resources: string, operations: readonly string[]) =>
  on('core.gardener.cloud', 'v1beta1', resources, operations)

/** A Shoot names a ConfigMap. The content of the ConfigMap is validated together with the Shoot, and when the ConfigMap changes. */
const configMapOfShoots = (name: string): Webhook => ({
  name,
  only: inProjects,
  rules: [ofGardener('shoots', made), ofCore('configmaps', ['UPDATE'])],
})

const seedRules: readonly Rule[] = [
  ofCore('configmaps secrets serviceaccounts', ['CREATE']),
  on('rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', ['CREATE']),
  on('coordination.k8s.io', 'v1', 'leases', ['CREATE']),
  on('certificates.k8s.io', 'v1', 'certificatesigningrequests', ['CREATE']),
  ofGardener('backupentries internalsecrets shootstates', ['CREATE']),
  ofGardener('backupbuckets', ['CREATE', 'DELETE']),
  ofGardener('seeds', any),
  on('operations.gardener.cloud', 'v1alpha1', 'bastions', ['CREATE']),
]

const validating: readonly Webhook[] = [
  {
    name: 'validate-namespace-deletion',
    only: inProjects,
    rules: [ofCore('namespaces', ['DELETE'])],
  },
  {
    name: 'validate-kubeconfig-secrets',
    only: inProjectsButGarden,
    rules: [ofCore('secrets', made)],
  },
  {
    name: 'internal-domain-secret',
    path: '/webhooks/admission/validate-internal-domain',
    only: { objectSelector: { matchLabels: { 'gardener.cloud/role': 'internal-domain' } } },
    rules: [ofCore('secrets', any)],
  },
  ...['audit-policies', 'authentication-configuration', 'authorization-configuration'].map(configMapOfShoots),
  {
    name: 'shoot-kubeconfig-secret-ref',
    path: '/webhooks/validate-shoot-kubeconfig-secret-ref',
    only: inProjects,
    rules: [ofCore('secrets', ['UPDATE'])],
  },
  {
    name: 'update-restriction',
    only: { objectSelector: { matchLabels: { 'gardener.cloud/update-restriction': 'true' } } },
    rules: [ofCore('secrets configmaps', any)],
  },
  {
    name: 'seed-restriction',
    path: '/webhooks/admission/seedrestriction',
    only: { matchPolicy: 'Equivalent' },
    rules: seedRules,
  },
]

const sizeLimits = ({ limits }: ResourceLimits): Webhook => ({
  name: 'validate-resource-size',
  only: inProjectsButGarden,
  rules: limits.map(({ apiGroups, apiVersions, resources }) => ({
    operations: made,
    resources,
    ...(apiGroups && { apiGroups }),
    ...(apiVersions && { apiVersions }),
  })),
})

const mutating: readonly Webhook[] = [
  {
    name: 'sync-provider-secret-labels',
    only: inProjects,
    rules: [ofCore('secrets', made)],
  },
]

/** `caBundle`: the CA of the server's certificate. `limits`: adds a webhook with one rule per limit. */
export const admissionWebhooks = (caBundle: string, limits?: ResourceLimits): KubeObject[] => {
  const configuration = (kind: string, webhooks: readonly Webhook[]): KubeObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'gardener-admission-controller' },
    webhooks: webhooks.map(webhook => webhookOf(webhook, caBundle)),
  })
  return [
    configuration('MutatingWebhookConfiguration', mutating),
    configuration('ValidatingWebhookConfiguration', [...validating, ...(limits ? [sizeLimits(limits)] : [])]),
  ]
}

const webhookOf = ({ name, path = `/webhooks/${name}`, rules, only }: Webhook, caBundle: string): JsonMap => ({
  name: `${name}.gardener.cloud`,
  admissionReviewVersions: ['v1', 'v1beta1'],
  timeoutSeconds: 10,
  failurePolicy: 'Fail',
  sideEffects: 'None',
  clientConfig: { url: `${server}${path}`, caBundle },
  rules,
  ...only,
})
