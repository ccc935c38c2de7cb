// What istiod may do: read the mesh's configuration and what runs in the cluster, hand out the mesh's root certificate, and keep its own
// authority and leases in its namespace.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { namespaceAccess, programAccount, programClusterAccess, programRule } from '../parts/program-access.ts'
import { istioNamespace as namespace } from './foreign-istiod.ts'

const account = 'istiod'
const read = 'get list watch'
const edit = 'get list watch create update patch delete'

const meshGroups = ['networking', 'security', 'telemetry', 'extensions'].map(name => `${name}.istio.io`).join(' ')

const clusterRules = [
  programRule('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', `${read} update patch`),
  programRule('admissionregistration.k8s.io', 'validatingwebhookconfigurations', `${read} update`),
  programRule(meshGroups, '*', read),
  programRule('networking.istio.io', 'workloadentries workloadentries/status serviceentries/status', edit),
  programRule('security.istio.io', 'authorizationpolicies/status', edit),
  programRule('', 'services/status', edit),
  programRule('apiextensions.k8s.io', 'customresourcedefinitions', read),
  programRule('', 'pods nodes services namespaces endpoints secrets', read),
  programRule('discovery.k8s.io', 'endpointslices', read),
  programRule('networking.k8s.io', 'ingresses ingressclasses', read),
  programRule('networking.k8s.io', 'ingresses/status', '*'),
  programRule('', 'configmaps', `${read} create update`),
  programRule('authentication.k8s.io', 'tokenreviews', 'create'),
  programRule('authorization.k8s.io', 'subjectaccessreviews', 'create'),
]

const ownRules = [
  programRule('networking.istio.io', 'gateways', 'create'),
  programRule('', 'secrets', 'create get watch list update delete'),
  programRule('', 'configmaps', 'delete'),
  programRule('coordination.k8s.io', 'leases', 'get update patch create'),
]

export const istiodAccess: readonly KubeObject[] = [
  programAccount(account, namespace),
  ...programClusterAccess(`istiod-clusterrole-${namespace}`, clusterRules, { namespace, account }),
  ...namespaceAccess(account, ownRules, { namespace }),
]
