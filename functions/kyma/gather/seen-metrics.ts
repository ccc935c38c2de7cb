// Gauges of all Kymas, read when metrics are scraped.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { isOfAnother, type Kyma, moduleNameOf } from '../../../shared/kyma/kinds.ts'
import type { SeenMetrics, SeenOfEach } from '../../../shared/runtime/definition.ts'
import { kymaMeasurements, kymaMetrics, windowsMeasurement, windowsMetric } from '../rules/metrics.ts'
import type { KymaSettings } from '../settings.ts'
import { windowsIn } from './updates.ts'

export const seenKymas: SeenOfEach = {
  metrics: kymaMetrics,
  begin: async ({ reads }) => {
    const named = { namespace: kymaNames.namespaces.controlPlane, metadataOnly: true, fromCache: true }
    const [metas, templates] = await Promise.all([
      reads.list({ ...moduleReleaseMetaKind, ...named }),
      reads.list({ ...moduleTemplateKind, ...named }),
    ])
    const declared = new Set([...metas.map(({ metadata }) => metadata.name), ...templates.map(moduleNameOf)])
    return (object: KubeObject) => (isOfAnother(object) ? [] : kymaMeasurements(object as Kyma, declared))
  },
}

export const seenWindows: SeenMetrics<KymaSettings> = {
  metrics: [windowsMetric],
  read: async ({ settings }) => [windowsMeasurement(await windowsIn(settings.windowPolicyFile))],
}
