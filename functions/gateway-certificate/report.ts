// The metric of gateway-certificate, with the name of the Go operator.
import type { Metric } from '../../shared/core/decisions/measurement.ts'
import type { Plan, Report, StepResult } from '../../shared/core/decisions/plan.ts'
import { secondsBetween } from '../../shared/core/tls/renewal.ts'
import type { World } from './world.ts'

const name = 'lifecycle_mgr_gateway_secret_server_cert_close_to_expiry'

export const gatewayMetrics: readonly Metric[] = [
  { name, type: 'gauge', labels: [], help: 'Whether the certificate of the listener should have been renewed' },
]

export const report = ({ gateway, times }: World, _plan: Plan, _results: readonly StepResult[], now: Date): Report => {
  const { serving } = gateway
  return {
    status: {},
    measured: serving
      ? [{ metric: name, set: secondsBetween(now, serving.to) < times.gatewayExpiryWindow ? 1 : 0 }]
      : [],
  }
}
