// When objects of an installation go: nothing is injected or refused any more while it is removed; the kinds of Istio go after the
// workloads that serve them, and the namespace last.
import { priorityOf } from '../../../../shared/component/applied/priorities.ts'
import type { Priorities } from '../../../../shared/component/settings.ts'
import type { GroupVersionKind } from '../../../../shared/core/object.ts'

/** Kinds that are not named have 0. */
export const deleteOrders: Priorities = {
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': -10,
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': -10,
  'CustomResourceDefinition.apiextensions.k8s.io': 10,
  Namespace: 20,
}

export const deleteOrderOf = (object: GroupVersionKind): number => priorityOf(deleteOrders, object)
