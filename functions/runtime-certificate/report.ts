// The metric of runtime-certificate, with the name of the Go operator.
import type { Metric } from '../../shared/core/decisions/measurement.ts'
import type { Plan, Report, StepResult } from '../../shared/core/decisions/plan.ts'
import { isDeleting } from '../../shared/core/objects/object.ts'
import { secondsUntilRenewal } from './decide.ts'
import type { World } from './world.ts'

const name = 'lifecycle_mgr_self_signed_cert_not_renew'

export const certificateMetrics: readonly Metric[] = [
  { name, type: 'gauge', labels: ['kyma_name'], help: '1 for each Kyma whose certificate should have been renewed' },
]

export const report = (world: World, _plan: Plan, _results: readonly StepResult[], now: Date): Report => ({
  status: {},
  measured: [{ metric: name, labels: { kyma_name: world.kyma.metadata.name }, ...notRenewed(world, now) }],
})

const notRenewed = (world: World, now: Date): { set: 1 } | { forget: true } =>
  !isDeleting(world.kyma) && world.current !== undefined && secondsUntilRenewal(world, now) < -world.times.renewBuffer
    ? { set: 1 }
    : { forget: true }
