// Addresses of both families, for clusters that have them.
import { addedAt, type Edit, setAt } from './edit.ts'

const variable = { ISTIO_DUAL_STACK: 'true' }

export const dualStackEdits: readonly Edit[] = [
  addedAt('meshConfig.defaultConfig.proxyMetadata', variable),
  addedAt('values.pilot.env', variable),
  ...['pilot', 'gateways.istio-ingressgateway', 'gateways.istio-egressgateway'].map(root =>
    setAt(`values.${root}.ipFamilyPolicy`, 'RequireDualStack'),
  ),
]
