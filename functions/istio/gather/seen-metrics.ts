// The metrics of Istios. They are read at each scrape.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import type { SeenMetrics } from '../../../shared/runtime/definition.ts'
import { oldestIstio } from '../rules/checks.ts'
import { istioFeatureMetrics, istioFeatures, istioStateSeen } from '../rules/metrics.ts'
import type { Istio } from '../world.ts'

export const seenIstio: SeenMetrics = {
  metrics: istioFeatureMetrics,
  read: async ({ reads }) => {
    const istios = await reads.list({ ...istioKind, namespace: istioNames.namespaces.control, fromCache: true })
    const features = istios.length === 0 ? [] : istioFeatures((oldestIstio(istios) as Partial<Istio>).spec ?? {})
    return [...features, ...istios.flatMap(istio => istioStateSeen(istio as Istio))]
  },
}
