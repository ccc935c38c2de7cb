// Restarts workloads whose sidecars are not as they should be: some in each call, workloads of Kyma before others.
import type { AppliedVerdict } from '../rules/applied-fields.ts'
import { dueNow } from '../rules/restarts/pod-survey.ts'
import {
  restartOf,
  restartsTried,
  sidecarSteps,
  sidecarsStanding,
  sidecarsUnread,
  standingReport,
} from '../rules/restarts/sidecars-standing.ts'
import { restartEvents, restartsMeasured } from '../rules/restarts/steps.ts'
import type { SidecarsFacts } from '../world.ts'
import { notedReport } from './named-restarts.ts'
import { part } from './part.ts'

export const sidecars = part({
  name: 'sidecars',
  steps: (facts, _, now) =>
    facts.is === 'surveyed' && 'read' in facts.survey ? sidecarSteps(facts.survey.read, now) : [],
  inForce: facts => (facts.is === 'unknown' ? {} : fieldsOfSidecars(areSidecarsAsWanted(facts))),
  reports: (facts, { results }) => {
    if (facts.is === 'unknown') return {}
    if (facts.is === 'unnoted') return notedReport(facts.noted)
    if ('failed' in facts.survey) return sidecarsUnread(facts.survey.failed)
    const survey = facts.survey.read
    const tried = restartsTried(dueNow(survey), results)
    const standing = sidecarsStanding({ survey, hasActed: facts.hasActed, tried })
    const restarts = tried.flatMap(restartOf)
    return {
      ...standingReport(standing),
      ...(areSidecarsAsWanted(facts) && facts.ended && { restarts: [facts.ended.over] }),
      ...(standing.mayOthersFollow && results.length > 0 && { again: true as const }),
      events: restartEvents(restarts),
      measured: restartsMeasured(restarts),
    }
  },
})

/** No sidecar needs a restart, now or later. */
const areSidecarsAsWanted = (facts: Exclude<SidecarsFacts, { is: 'unknown' }>): boolean => {
  if (facts.is === 'unnoted' || 'failed' in facts.survey) return false
  const survey = facts.survey.read
  const { stuck, isDue } = sidecarsStanding({ survey, hasActed: facts.hasActed, tried: [] })
  return survey.due.length === 0 && stuck.length === 0 && !isDue
}

/** The fields that sidecars are restarted for. */
const fieldsOfSidecars = (isInForce: boolean): AppliedVerdict => ({
  compatibilityMode: isInForce,
  enableDNSProxying: isInForce,
  proxyStatsMatcher: isInForce,
})
