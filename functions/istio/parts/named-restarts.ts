// Parts that restart workloads known by name. `ingressGateway` restarts the gateway after changes of fields that it reads only when it
// starts. `controlPlane` restarts istiod, CNI plugin and gateway when NetworkPolicies are switched on or off, because old connections would
// otherwise stay open.

import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import { descriptions } from '../reasons.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { failure } from '../rules/findings.ts'
import type { NamedTarget } from '../rules/restarts/named-workloads.ts'
import { controlPlaneFields, gatewayFields, type RestartField } from '../rules/restarts/restart-fields.ts'
import type { NamedRestarts } from '../rules/restarts/restart-notes.ts'
import { type RestartTried, restartEvents, restartsMeasured, rollStep } from '../rules/restarts/restart-steps.ts'
import type { World } from '../world.ts'
import { type IstioPart, type IstioPartReport, notedReport, part } from './part.ts'

type NamedPart = {
  readonly name: NamedTarget
  readonly fields: readonly RestartField[]
  readonly failed: (cause: string) => IstioFinding
}

const namedPart = ({ name, fields, failed }: NamedPart): IstioPart =>
  part({
    name,
    steps: (restarts, world, now) => dueNow(name, restarts, world).map(workload => rollStep(workload, now)),
    inForce: ({ due }) => Object.fromEntries(fields.map(field => [field, due.length === 0])),
    reports: (restarts, { results }) => namedReport(name, restarts, { results, failed }),
  })

export const ingressGateway = namedPart({
  name: 'ingressGateway',
  fields: gatewayFields,
  failed: cause => failure(descriptions.gatewayFailed(cause), { reason: 'IngressGatewayRestartFailed', detail: cause }),
})

export const controlPlanePart = namedPart({
  name: 'controlPlane',
  fields: controlPlaneFields,
  failed: cause => failure(descriptions.controlPlaneFailed(cause)),
})

/** Part controlPlane leaves out the ingress gateway if part ingressGateway restarts it, now or after its note is saved. */
const dueNow = (name: NamedTarget, { noted, due }: NamedRestarts, { facts }: World): NamedRestarts['due'] => {
  if (noted.is !== 'noted') return []
  const others = new Set(name === 'controlPlane' ? facts.ingressGateway?.due.map(({ metadata }) => metadata.uid) : [])
  return due.filter(({ metadata }) => !others.has(metadata.uid))
}

type Tried = Pick<NamedPart, 'failed'> & { readonly results: readonly StepResult[] }

/** After a restart another pass follows, which finds the change in force. */
const namedReport = (
  target: NamedTarget,
  { due, noted }: NamedRestarts,
  { results, failed }: Tried,
): IstioPartReport => {
  if (noted.is !== 'noted') return notedReport(noted, due.length > 0)
  const tried = results.flatMap((result): RestartTried[] => {
    const workload = due.find(one => 'target' in result.step && result.step.target === one)
    return workload ? [{ target, cause: 'configuration', workload, result }] : []
  })
  const errors = results.flatMap(({ error }) => (error ? [error.message] : []))
  const isOver = due.length === 0 && noted.ended
  return {
    ...(isOver && { restarts: [isOver.over] }),
    events: restartEvents(tried),
    measured: restartsMeasured(tried),
    ...(errors.length > 0 ? { findings: [failed(errors.join('; '))] } : results.length > 0 && { again: true }),
  }
}
