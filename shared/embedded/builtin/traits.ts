// The special behaviour of built-in kinds, one row per kind. Most kinds have no row: their names are subdomains, updates need no
// resourceVersion, and an update does not create objects.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Kind } from '../kinds/kind.ts'
import { labelNameFaults, type NameCheck, pathSegmentFaults, subdomainFaults } from '../names.ts'
import { type FieldFault, faultsIn, invalidValue } from '../status.ts'
import { nowText } from '../time.ts'
import { fieldsAt, type JsonMap, mapsAt, textAt } from '../value.ts'
import { mutatingPolicyTraits, policyBindingTraits, validatingPolicyTraits } from './admissionpolicies.ts'
import { customResourceDefinitionTraits } from './customresourcedefinitions.ts'
import { podTemplateDefaultsIn, podTraits } from './pods.ts'
import { clusterRoleFaults, rbacRuleFaults, roleBindingTraits } from './rbac.ts'
import { configMapFaults, configMapUpdateFaults, secretTraits } from './secrets.ts'
import { serviceTraits } from './services.ts'
import { defaultsAt, ensured, fill, type Traits } from './trait.ts'
import { webhookConfigurationDefaults, webhookFaults } from './webhookconfigurations.ts'
import {
  cronJobTraits,
  daemonSetTraits,
  deploymentTraits,
  jobTraits,
  replicaSetTraits,
  statefulSetTraits,
} from './workloads.ts'

export const namespaceFinalizer = 'kubernetes'

const namespaceDefaults = (draft: KubeObject): void => {
  if (draft.metadata.name)
    draft.metadata.labels = { ...draft.metadata.labels, 'kubernetes.io/metadata.name': draft.metadata.name }
}

const namespaceTraits: Traits = {
  defaults: namespaceDefaults,
  onCreate: draft => {
    namespaceDefaults(draft)
    const spec = ensured(draft, 'spec')
    spec.finalizers = [...new Set([...(Array.isArray(spec.finalizers) ? spec.finalizers : []), namespaceFinalizer])]
    draft.status = { phase: 'Active' }
  },
  // Only the finalize subresource can change spec.finalizers.
  onUpdate: (draft, before) => {
    draft.spec = { ...fieldsAt(before, 'spec') }
  },
  nameFaults: labelNameFaults,
  answersDeleted: true,
}

/** The namespace of an Event is the namespace of its object, or `default`. */
const eventFaults = (event: KubeObject): FieldFault[] => {
  if (event.apiVersion !== 'v1' || event.eventTime) return []
  const about = textAt(event, 'involvedObject', 'namespace')
  return event.metadata.namespace === (about || 'default')
    ? []
    : [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
}

const leaseFaults = (object: KubeObject): FieldFault[] => {
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = fieldsAt(object, 'spec') ?? {}
  const [isLong, isCount] = [Number(seconds ?? 1) > 0, Number(transitions ?? 0) >= 0]
  return faultsIn(
    !isLong && invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0'),
    !isCount && invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'),
  )
}

const policyPortDefaults = defaultsAt({
  'spec!.ingress[].ports[]': { protocol: 'TCP' },
  'spec.egress[].ports[]': { protocol: 'TCP' },
})

const networkPolicyDefaults = (draft: KubeObject): void => {
  policyPortDefaults(draft)
  const spec = ensured(draft, 'spec')
  fill(spec, { policyTypes: mapsAt(spec, 'egress').length ? ['Ingress', 'Egress'] : ['Ingress'] })
}

const target = { type: 'Utilization', averageUtilization: 80 }
const halfLoad = { type: 'Resource', resource: { name: 'cpu', target } }
const byPods = { type: 'Pods', value: 4, periodSeconds: 15 }
const byShare = { type: 'Percent', value: 100, periodSeconds: 15 }

const behaviorDefaults = defaultsAt({
  'scaleUp!': { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [byPods, byShare] },
  'scaleDown!': { selectPolicy: 'Max', policies: [byShare] },
})

const autoscalerDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  fill(spec, { minReplicas: 1 })
  fill(spec, draft.apiVersion === 'autoscaling/v2' ? { metrics: [halfLoad] } : { targetCPUUtilizationPercentage: 80 })
  const behavior = fieldsAt(spec, 'behavior')
  if (behavior) behaviorDefaults(behavior)
}

const protectedBy =
  (finalizer: string, status: () => JsonMap = () => ({})) =>
  (draft: KubeObject): void => {
    draft.metadata.finalizers = [...new Set([...(draft.metadata.finalizers ?? []), finalizer])]
    draft.status = { phase: 'Pending', ...status() }
  }

/** `default` defaults to `max`. `defaultRequest` defaults to `default`, or else to `min`. */
const limitRangeDefaults = (draft: KubeObject): void => {
  for (const limit of mapsAt(draft, 'spec', 'limits').filter(({ type }) => type === 'Container')) {
    limit.default = { ...fieldsAt(limit, 'max'), ...fieldsAt(limit, 'default') }
    limit.defaultRequest = {
      ...fieldsAt(limit, 'min'),
      ...fieldsAt(limit, 'default'),
      ...fieldsAt(limit, 'defaultRequest'),
    }
  }
}

/** Labels of the template become labels and selector of the controller. */
const replicationControllerDefaults = (draft: KubeObject): void => {
  const spec = ensured(draft, 'spec')
  const labels = fieldsAt(spec, 'template', 'metadata', 'labels')
  if (labels) {
    fill(spec, { selector: labels })
    if (Object.keys(draft.metadata.labels ?? {}).length === 0)
      draft.metadata.labels = { ...labels } as Record<string, string>
  }
  replicaSetTraits.defaults?.(draft)
}

const spec = ['spec']
const rbac: Traits = { nameFaults: pathSegmentFaults, createsOnUpdate: true }
const webhooks: Traits = {
  generationOf: ['webhooks'],
  needsResourceVersion: true,
  defaults: webhookConfigurationDefaults,
  faults: webhookFaults,
}
const answering: Traits = { answersDeleted: true }

const rows: Readonly<Record<string, Traits>> = {
  configmaps: { faults: configMapFaults, updateFaults: configMapUpdateFaults },
  endpoints: { createsOnUpdate: true, defaults: defaultsAt({ 'subsets[].ports[]': { protocol: 'TCP' } }) },
  events: { createsOnUpdate: true, propagation: 'None', faults: eventFaults },
  limitranges: { createsOnUpdate: true, defaults: limitRangeDefaults },
  namespaces: namespaceTraits,
  nodes: { keepsStatusOnCreate: true },
  persistentvolumeclaims: {
    ...answering,
    defaults: defaultsAt({ 'spec!': { volumeMode: 'Filesystem' } }),
    onCreate: protectedBy('kubernetes.io/pvc-protection'),
  },
  persistentvolumes: {
    ...answering,
    defaults: defaultsAt({
      'spec!': { volumeMode: 'Filesystem', persistentVolumeReclaimPolicy: 'Retain' },
      'spec.hostPath': { type: '' },
    }),
    onCreate: protectedBy('kubernetes.io/pv-protection', () => ({ lastPhaseTransitionTime: nowText() })),
  },
  pods: podTraits,
  podtemplates: { answersDeleted: true, generationOf: ['template'], defaults: podTemplateDefaultsIn('template') },
  replicationcontrollers: { defaults: replicationControllerDefaults, generationOf: spec, propagation: 'Orphan' },
  resourcequotas: answering,
  secrets: secretTraits,
  serviceaccounts: { answersDeleted: true },
  services: { ...serviceTraits, nameFaults: labelNameFaults, statusTakesLabels: true },
  'apps/daemonsets': daemonSetTraits,
  'apps/deployments': deploymentTraits,
  'apps/replicasets': replicaSetTraits,
  'apps/statefulsets': { ...statefulSetTraits, nameFaults: labelNameFaults },
  'autoscaling/horizontalpodautoscalers': { defaults: autoscalerDefaults },
  'batch/cronjobs': cronJobTraits,
  'batch/jobs': { ...jobTraits, propagation: 'Orphan' },
  'coordination.k8s.io/leases': { createsOnUpdate: true, needsResourceVersion: true, faults: leaseFaults },
  'discovery.k8s.io/endpointslices': {
    generationOf: ['endpoints', 'ports', 'addressType'],
    defaults: defaultsAt({ 'ports[]': { name: '', protocol: 'TCP' } }),
  },
  'networking.k8s.io/ingressclasses': {
    generationOf: spec,
    defaults: defaultsAt({ 'spec.parameters': { scope: 'Cluster' } }),
  },
  'networking.k8s.io/ingresses': { generationOf: spec },
  'networking.k8s.io/networkpolicies': { generationOf: spec, defaults: networkPolicyDefaults },
  'node.k8s.io/runtimeclasses': { createsOnUpdate: true, needsResourceVersion: true },
  'policy/poddisruptionbudgets': { generationOf: spec, needsResourceVersion: true },
  'rbac.authorization.k8s.io/clusterroles': { ...rbac, faults: clusterRoleFaults },
  'rbac.authorization.k8s.io/roles': { ...rbac, faults: rbacRuleFaults },
  'rbac.authorization.k8s.io/clusterrolebindings': { ...rbac, ...roleBindingTraits },
  'rbac.authorization.k8s.io/rolebindings': { ...rbac, ...roleBindingTraits },
  'scheduling.k8s.io/priorityclasses': {
    generationOf: ['value'],
    defaults: defaultsAt({ '': { preemptionPolicy: 'PreemptLowerPriority' } }),
  },
  'storage.k8s.io/storageclasses': {
    ...answering,
    defaults: defaultsAt({ '': { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' } }),
  },
  'storage.k8s.io/csidrivers': { ...answering, needsResourceVersion: true },
  'storage.k8s.io/csinodes': { ...answering, needsResourceVersion: true },
  'storage.k8s.io/volumeattachments': { ...answering, needsResourceVersion: true },
  'storage.k8s.io/csistoragecapacities': { needsResourceVersion: true },
  'storage.k8s.io/volumeattributesclasses': answering,
  'flowcontrol.apiserver.k8s.io/flowschemas': { generationOf: spec },
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': { generationOf: spec },
  'resource.k8s.io/deviceclasses': { ...answering, generationOf: spec },
  'resource.k8s.io/resourceclaims': answering,
  'resource.k8s.io/resourceclaimtemplates': answering,
  'resource.k8s.io/resourceslices': { ...answering, generationOf: spec },
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/validatingadmissionpolicies': validatingPolicyTraits,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': policyBindingTraits,
  'admissionregistration.k8s.io/mutatingadmissionpolicies': mutatingPolicyTraits,
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': policyBindingTraits,
  'apiextensions.k8s.io/customresourcedefinitions': customResourceDefinitionTraits,
}

const none: Traits = {}
const custom: Traits = { needsResourceVersion: true }

export const traitsOf = (kind: Kind): Traits => (kind.custom ? custom : (rows[kind.collection] ?? none))

export const nameFaultsOf = (kind: Kind): NameCheck => traitsOf(kind).nameFaults ?? subdomainFaults
