// The order in which installed objects are deleted: first the webhooks, so that nothing is injected or refused meanwhile; the
// CustomResourceDefinitions of Istio after the workloads that serve them; the namespace last.
import { priorityOf } from '../../../../shared/component/applied/priorities.ts'
import type { Priorities } from '../../../../shared/component/settings.ts'
import type { GroupVersionKind } from '../../../../shared/core/objects/object.ts'

/** 0 for kinds that the table does not name. */
export const deleteOrders: Priorities = {
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': -10,
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': -10,
  'CustomResourceDefinition.apiextensions.k8s.io': 10,
  Namespace: 20,
}

export const deleteOrderOf = (object: GroupVersionKind): number => priorityOf(deleteOrders, object)
