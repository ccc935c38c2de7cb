// Restarts workloads with outdated sidecars, some per call, workloads of Kyma first.

import { descriptions } from '../reasons.ts'
import type { AppliedVerdict } from '../rules/applied-fields.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { failure } from '../rules/findings.ts'
import type { StuckOwner, Survey } from '../rules/restarts/pod-survey.ts'
import {
  restartEvents,
  restartSteps,
  restartsMeasured,
  restartsTried,
  workloadsText,
} from '../rules/restarts/restart-steps.ts'
import type { SidecarsFacts } from '../world.ts'
import { type IstioPartReport, notedReport, part } from './part.ts'

export const sidecars = part({
  name: 'sidecars',
  steps: (facts, _, now) =>
    facts.is === 'surveyed' && 'read' in facts.survey ? restartSteps(facts.survey.read.due, now) : [],
  inForce: facts => (facts.is === 'unknown' ? {} : fieldsOfSidecars(areSidecarsAsWanted(facts))),
  reports: (facts, { results }) => {
    if (facts.is === 'unknown') return {}
    if (facts.is === 'unnoted') return notedReport(facts.noted, true)
    if ('failed' in facts.survey) return unread(facts.survey.failed)
    const tried = restartsTried(facts.survey.read.due, results)
    const over = areSidecarsAsWanted(facts) ? facts.ended?.over : undefined
    return {
      ...progressReport(progressOf({ survey: facts.survey.read, hasActed: facts.hasActed, tried })),
      ...(facts.noted ? notedReport(facts.noted, false) : over && { restarts: [over] }),
      events: restartEvents(tried),
      measured: restartsMeasured(tried),
    }
  },
})

const areSidecarsAsWanted = (facts: Exclude<SidecarsFacts, { is: 'unknown' }>): boolean => {
  if (facts.is === 'unnoted' || 'failed' in facts.survey) return false
  const survey = facts.survey.read
  const { stuck, isDue } = progressOf({ survey, hasActed: facts.hasActed, tried: [] })
  return survey.due.length === 0 && stuck.length === 0 && !isDue
}

const fieldsOfSidecars = (isInForce: boolean): AppliedVerdict => ({
  compatibilityMode: isInForce,
  enableDNSProxying: isInForce,
  proxyStatsMatcher: isInForce,
})

type Tried = {
  readonly survey: Survey
  readonly hasActed: boolean
  readonly tried: ReturnType<typeof restartsTried>
}

type Progress = {
  readonly stuck: readonly StuckOwner[]
  readonly isDue: boolean
}

const progressOf = ({ survey, hasActed, tried }: Tried): Progress => {
  const refused = tried.flatMap(({ owner, result: { error } }) =>
    error && !error.isRetriable && !error.isConflict ? [{ owner, why: error.message }] : [],
  )
  const isDue = hasActed || survey.isSettling || survey.isCutShort || tried.length > refused.length
  return { stuck: [...survey.stuck, ...refused], isDue }
}

const unread = (cause: string): IstioPartReport => ({
  findings: [failure(descriptions.sidecarsFailed(cause))],
  conditions: [{ reason: 'ProxySidecarRestartFailed', detail: cause }],
})

const progressReport = ({ stuck, isDue }: Progress): IstioPartReport => {
  const due: readonly IstioFinding[] = isDue
    ? [{ state: 'Processing', description: descriptions.restarting, answer: 'chunksDue' }]
    : []
  if (stuck.length > 0) {
    const warning: IstioFinding = { state: 'Warning', description: descriptions.sidecarsStuck, answer: 'userTask' }
    const detail = workloadsText(stuck.map(({ owner }) => owner.key))
    return { findings: [warning, ...due], conditions: [{ reason: 'ProxySidecarManualRestartRequired', detail }] }
  }
  return {
    findings: due,
    conditions: [{ reason: isDue ? 'ProxySidecarRestartPartiallySucceeded' : 'ProxySidecarRestartSucceeded' }],
  }
}
