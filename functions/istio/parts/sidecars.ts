// Restarts what has sidecars that are not as they are to be: a portion in each call, workloads of Kyma before others.
import {
  restartsTried,
  sidecarSteps,
  sidecarsStanding,
  sidecarsUnread,
  standingTold,
  toldOf,
} from '../rules/restarts/sidecars-standing.ts'
import { restartEvents, restartsMeasured } from '../rules/restarts/steps.ts'
import { dueNow } from '../rules/restarts/survey.ts'
import { notedTelling } from './named-restarts.ts'
import { type IstioTelling, part } from './part.ts'

export const sidecars = part({
  name: 'sidecars',
  steps: (facts, _, now) =>
    facts.is === 'surveyed' && 'read' in facts.survey ? sidecarSteps(facts.survey.read, now) : [],
  tells: (facts, { results }) => {
    if (facts.is === 'unknown') return {}
    if (facts.is === 'unnoted') return { ...notedTelling(facts.noted), ...saved(false) }
    if ('failed' in facts.survey) return { ...sidecarsUnread(facts.survey.failed), ...saved(false) }
    const survey = facts.survey.read
    const tried = restartsTried(dueNow(survey), results)
    const standing = sidecarsStanding({ survey, hasActed: facts.hasActed, tried })
    const told = tried.flatMap(toldOf)
    const isInForce = survey.due.length === 0 && standing.stuck.length === 0 && !standing.isDue
    return {
      ...standingTold(standing),
      ...saved(isInForce),
      ...(isInForce && facts.ended && { restarts: [facts.ended.over] }),
      ...(standing.mayOthersFollow && results.length > 0 && { again: true as const }),
      events: restartEvents(told),
      measured: restartsMeasured(told),
    }
  },
})

/** The fields that sidecars are restarted for. */
const saved = (isInForce: boolean): Pick<IstioTelling, 'applied'> => ({
  applied: { compatibilityMode: isInForce, enableDNSProxying: isInForce, proxyStatsMatcher: isInForce },
})
