// Gauges of all Kymas, read when metrics are scraped.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../../shared/api/kyma.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { isOfAnother, moduleNameOf } from '../../../shared/kyma/labels.ts'
import type { SeenMetrics } from '../../../shared/runtime/definition.ts'
import { kymaMeasurements, kymaMetrics, windowsMeasurement } from '../rules/metrics.ts'
import { windowsIn } from './updates.ts'

export const seenKymas: SeenMetrics = {
  metrics: kymaMetrics,
  read: async ({ reads, installation }) => {
    const namespace = kymaNames.namespaces.controlPlane
    const named = { namespace, metadataOnly: true, fromCache: true }
    const [kymas, metas, templates, windows] = await Promise.all([
      reads.list({ ...kymaKind, namespace, fromCache: true }) as Promise<Kyma[]>,
      reads.list({ ...moduleReleaseMetaKind, ...named }),
      reads.list({ ...moduleTemplateKind, ...named }),
      windowsIn(installation.kyma.modules.windowPolicyFile),
    ])
    const ours = kymas.filter(kyma => !isOfAnother(kyma))
    const declared = new Set([...metas.map(({ metadata }) => metadata.name), ...templates.map(moduleNameOf)])
    return [...ours.flatMap(kyma => kymaMeasurements(kyma, declared)), windowsMeasurement(windows)]
  },
}
