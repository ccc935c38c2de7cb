// The webhooks of the runtime cluster's resource manager. The CA of the runtime cluster signs the server certificate of the webhooks.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { caBundleNow } from '../../rules/secrets/secrets-now.ts'
import type { World } from '../../world.ts'
import { namespace, ownershipLabel, prefixes, protectedLabel } from '../parts/names.ts'
import { hasGate } from './switches.ts'

const name = 'gardener-resource-manager'

export const resourceManagerWebhooks = (world: World): KubeObject[] => {
  const caBundle = caBundleNow(world, 'ca-garden-runtime')
  const mutating = [highAvailability, projectedToken, ...(hasGate(world, 'DefaultSeccompProfile') ? [seccomp] : [])]
  const configuration = (kind: string, rows: readonly Row[]): KubeObject => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: `${name}-seed`, labels: { app: name, ...ownershipLabel } },
    webhooks: rows.map(row => webhook(row, caBundle)),
  })
  return [
    configuration('MutatingWebhookConfiguration', mutating),
    configuration('ValidatingWebhookConfiguration', [crdDeletion, resourceDeletion]),
  ]
}

type Row = {
  readonly name: string
  readonly path: string
  readonly rules: readonly JsonMap[]
  readonly matchPolicy: 'Exact' | 'Equivalent'
  readonly namespaceSelector?: JsonMap
  readonly objectSelector?: JsonMap
}

/**
 * `scope` has its default value. Lists of rules are compared as a whole, so a rule without `scope` would be applied again in every call.
 */
const on = (group: string, versions: string, resources: string, operations: string): JsonMap => ({
  apiGroups: [group],
  apiVersions: versions.split(' '),
  resources: resources.split(' '),
  operations: operations.split(' '),
  scope: '*',
})

const without = (key: string) => ({ key, operator: 'DoesNotExist' })
const notTheResourceManager = { key: 'app', operator: 'NotIn', values: [name] }
const ofGarden = { matchLabels: { 'gardener.cloud/role': 'garden' } }

const highAvailability: Row = {
  name: `high-availability-config.${prefixes.resources}`,
  path: '/webhooks/high-availability-config',
  rules: [
    on('apps', 'v1', 'deployments statefulsets', 'CREATE UPDATE'),
    on('autoscaling', 'v2', 'horizontalpodautoscalers', 'CREATE UPDATE'),
  ],
  matchPolicy: 'Equivalent',
  namespaceSelector: { matchLabels: { [`${prefixes.highAvailability}/consider`]: 'true' } },
  objectSelector: { matchExpressions: [without(`${prefixes.highAvailability}/skip`)] },
}

const projectedToken: Row = {
  name: `projected-token-mount.${prefixes.resources}`,
  path: '/webhooks/mount-projected-service-account-token',
  rules: [on('', 'v1', 'pods', 'CREATE')],
  matchPolicy: 'Exact',
  namespaceSelector: ofGarden,
  objectSelector: {
    matchExpressions: [without(`projected-token-mount.${prefixes.resources}/skip`), notTheResourceManager],
  },
}

const seccomp: Row = {
  name: `seccomp-profile.${prefixes.resources}`,
  path: '/webhooks/seccomp-profile',
  rules: [on('', 'v1', 'pods', 'CREATE')],
  matchPolicy: 'Exact',
  namespaceSelector: ofGarden,
  objectSelector: {
    matchExpressions: [without(`seccompprofile.${prefixes.resources}/skip`), notTheResourceManager],
  },
}

const crdDeletion: Row = {
  name: `crd-deletion-protection.${prefixes.resources}`,
  path: '/webhooks/validate-crd-deletion',
  rules: [on('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'DELETE')],
  matchPolicy: 'Exact',
  objectSelector: { matchLabels: { [protectedLabel]: 'true' } },
}

const resourceDeletion: Row = {
  name: `cr-deletion-protection.${prefixes.resources}`,
  path: '/webhooks/validate-crd-deletion',
  rules: [on('druid.gardener.cloud', 'v1alpha1', 'etcds', 'DELETE')],
  matchPolicy: 'Exact',
}

const webhook = ({ path, ...row }: Row, caBundle: string): JsonMap => ({
  ...row,
  admissionReviewVersions: ['v1', 'v1beta1'],
  failurePolicy: 'Fail',
  sideEffects: 'None',
  timeoutSeconds: 10,
  clientConfig: { caBundle, service: { namespace, name, path, port: 443 } },
})
