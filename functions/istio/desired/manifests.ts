// All objects of an installation. Annotations tell the engine of shared/component in which order to apply and delete them. Objects that istiod
// creates for itself get the module's label, which tells users that they belong to the module.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { type Priorities, priorityOf } from '../../../shared/component/settings.ts'
import type { Step } from '../../../shared/core/decisions/plan.ts'
import type { GroupVersionKind, KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { besideLive, chartObject } from './chart-object.ts'

export type RenderedChart = {
  readonly objects: readonly KubeObject[]
  readonly order: number
  readonly component: string
}

type Ingredients = {
  readonly charts: readonly RenderedChart[]
  readonly version: string
  readonly webhooks: readonly KubeObject[]
  /** The PriorityClass exists and is not ours, so Espalier uses it but does not apply it. */
  readonly hasPriorityClass: boolean
}

export const installationManifests = ({ charts, version, webhooks, hasPriorityClass }: Ingredients): KubeObject[] => [
  ...[meshNamespace(), ...(hasPriorityClass ? [] : [meshPriorityClass()])].map(object => ordered(object, firstOrder)),
  ...charts.flatMap(({ objects, order, component }) =>
    objects.map(object => ordered(besideLive(chartObject(object, { component, version }), webhooks), order)),
  ),
]

/** The order of the control plane. Within an order, the engine applies namespaces, webhooks, CustomResourceDefinitions and roles first. */
const firstOrder = 0

const ordered = (object: KubeObject, order: number): KubeObject => {
  const { metadata } = object
  const annotations = {
    ...metadata.annotations,
    [`${istioNames.prefix}/apply-order`]: String(order),
    [`${istioNames.prefix}/delete-order`]: String(deleteOrderOf(object)),
  }
  return { ...object, metadata: { ...metadata, annotations } }
}

export const priorityClassRef: ObjectRef = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  namespace: '',
  name: 'istio-kyma-priority',
}

const meshPriorityClass = (): KubeObject => ({
  apiVersion: priorityClassRef.apiVersion,
  kind: priorityClassRef.kind,
  metadata: { name: priorityClassRef.name, labels: { [istioNames.labels.module]: istioNames.module } },
  value: 2_100_000,
  description: 'For the workloads of Istio',
})

export const meshNamespaceRef: ObjectRef = {
  apiVersion: 'v1',
  kind: 'Namespace',
  namespace: '',
  name: istioNames.namespaces.mesh,
}

const meshNamespace = (): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: istioNames.namespaces.mesh,
    labels: { 'namespaces.warden.kyma-project.io/validate': 'enabled' },
    annotations: { [istioNames.annotations.disclaimer]: istioNames.disclaimer },
  },
})

/**
 * The order of deletion. Other kinds have order 0. Webhooks are deleted first, so that they neither inject nor refuse during the deletion.
 * CustomResourceDefinitions are deleted after the workloads that serve them, and the namespace last.
 */
export const deleteOrders: Priorities = {
  'MutatingWebhookConfiguration.admissionregistration.k8s.io': -10,
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': -10,
  'CustomResourceDefinition.apiextensions.k8s.io': 10,
  Namespace: 20,
}

export const deleteOrderOf = (object: GroupVersionKind): number => priorityOf(deleteOrders, object)

const { namespaces, labels, module } = istioNames

const ref = (kind: string, name: string): ObjectRef => ({ apiVersion: 'v1', kind, namespace: namespaces.mesh, name })

const configMaps = [
  'istio-leader',
  'istio-namespace-controller-election',
  'istio-ip-autoallocate',
  'istio-gateway-status-leader',
]

export const istiodObjects: readonly ObjectRef[] = [
  ...configMaps.map(name => ref('ConfigMap', name)),
  ref('Secret', 'istio-ca-secret'),
]

/** Adds the label to objects that lack it. */
export const moduleLabelSteps = (found: readonly KubeObject[]): Step[] =>
  found
    .filter(({ metadata }) => metadata.labels?.[labels.module] !== module)
    .map(target => ({ do: 'patch', target, merge: { metadata: { labels: { [labels.module]: module } } } }))
