// What is shown of all Kymas when metrics are scraped.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import type { Kyma } from '../../../shared/kyma/kinds.ts'
import { isOfAnother } from '../../../shared/kyma/labels.ts'
import type { SeenMetrics } from '../../../shared/runtime/definition.ts'
import { kymaMeasurements, kymaMetrics, windowsMeasurement } from '../rules/metrics.ts'
import { windowsIn } from './updates.ts'

export const seenKymas: SeenMetrics = {
  metrics: kymaMetrics,
  read: async ({ reads, installation }) => {
    const namespace = kymaNames.namespaces.controlPlane
    const [kymas, windows] = await Promise.all([
      reads.list({ ...kymaKind, namespace, fromCache: true }) as Promise<Kyma[]>,
      windowsIn(installation.kyma.modules.windowPolicyFile),
    ])
    const ours = kymas.filter(kyma => !isOfAnother(kyma))
    return [...ours.flatMap(kymaMeasurements), windowsMeasurement('read' in windows)]
  },
}
