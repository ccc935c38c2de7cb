// What parts ingressGateway and controlPlane have in common: they restart workloads that are known by name.
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { descriptions } from '../reasons.ts'
import type { IstioFinding } from '../rules/findings.ts'
import type { NamedRestarts } from '../rules/restarts/named-workloads.ts'
import type { RestartTarget, UnnotedTarget } from '../rules/restarts/noted-targets.ts'
import { type RestartTried, restartEvents, restartsMeasured, rollStep } from '../rules/restarts/steps.ts'
import type { IstioPartReport } from './part.ts'

/** The target is noted, and all that must be restarted for it was. */
export const areRestartsOver = ({ noted, due }: NamedRestarts): boolean => noted.is === 'noted' && due.length === 0

/** A target is noted before anything is restarted for it. */
export const notedReport = (noted: UnnotedTarget): IstioPartReport => {
  const finding = { state: 'Processing', description: descriptions.restarting, answer: 'targetNoted' } as const
  return { findings: [finding], ...(noted.is === 'new' && { restarts: [noted.note] }) }
}

export const namedSteps = ({ due }: Pick<NamedRestarts, 'due'>, now: Date): Step[] =>
  due.map(({ workload }) => rollStep(workload, now))

type Tried = {
  readonly target: RestartTarget
  readonly results: readonly StepResult[]
  readonly failed: (cause: string) => IstioFinding
}

/** After a restart another pass follows, which finds the change in force. */
export const namedReport = ({ due, noted }: NamedRestarts, { target, results, failed }: Tried): IstioPartReport => {
  if (noted.is !== 'noted') return notedReport(noted)
  const tried = results.flatMap((result): RestartTried[] => {
    const restart = due.find(({ workload }) => 'target' in result.step && result.step.target === workload)
    return restart ? [{ target, result, ...restart }] : []
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
