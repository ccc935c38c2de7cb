// The metric of runtime-certificate, with the name of the Go operator.
import type { Metric } from '../../shared/core/decisions/measurement.ts'
import type { Plan, Report, StepResult } from '../../shared/core/decisions/plan.ts'
import { mapOrEmpty } from '../../shared/core/json/json.ts'
import { isDeleting } from '../../shared/core/objects/object.ts'
import { secondsBetween } from '../../shared/core/tls/renewal.ts'
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
  !isDeleting(world.kyma) && (isTooOld(world, now) || isOfFormerAuthority(world, now)) ? { set: 1 } : { forget: true }

const isTooOld = (world: World, now: Date): boolean =>
  world.current !== undefined && secondsUntilRenewal(world, now) < -world.times.renewBuffer

/**
 * Whether a certificate of a new CA is overdue. While the Secret is gone, the time of the last certificate comes from the status of the Certificate
 * object.
 */
const isOfFormerAuthority = ({ asked, current, listener, times }: World, now: Date): boolean => {
  const { notBefore, issuanceDate } = mapOrEmpty(asked?.status)
  const madeAt = current?.from ?? new Date(String(notBefore ?? issuanceDate))
  if (listener === undefined || current?.isOfNewest) return false
  return madeAt < listener.addedAt && secondsBetween(listener.addedAt, now) > times.renewBuffer
}
