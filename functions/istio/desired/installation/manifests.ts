// All that is installed, in waves: first the control plane and all that it needs, then what needs it. The engine of shared/component
// applies it; the annotations say to it when each object comes, and when it goes.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { chartObject } from './chart-object.ts'
import { deleteOrderOf } from './delete-order.ts'
import { meshNamespace } from './mesh-namespace.ts'
import { meshPriorityClass } from './priority-class.ts'
import { besideLive } from './webhooks.ts'

export type RenderedChart = {
  readonly objects: readonly KubeObject[]
  readonly order: number
  readonly component: string
}

type Ingredients = {
  readonly charts: readonly RenderedChart[]
  readonly version: string
  readonly webhooks: readonly KubeObject[]
  /** Somebody else made the PriorityClass already: it is used, and not installed. */
  readonly hasPriorityClass: boolean
}

export const installationManifests = ({ charts, version, webhooks, hasPriorityClass }: Ingredients): KubeObject[] => [
  ...[meshNamespace(), ...(hasPriorityClass ? [] : [meshPriorityClass()])].map(object => ordered(object, firstOrder)),
  ...charts.flatMap(({ objects, order, component }) =>
    objects.map(object => ordered(besideLive(chartObject(object, { component, version }), webhooks), order)),
  ),
]

/** The wave of the control plane. The engine writes namespaces, webhooks, CustomResourceDefinitions and roles before it. */
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
