// Restarts workloads whose Pods still have a sidecar of the removed mesh, some in each call. One that cannot be restarted does not hold the
// deletion.
import { descriptions } from '../reasons.ts'
import { restartEvents, restartSteps, restartsMeasured, restartsTried } from '../rules/restarts/restart-steps.ts'
import { part } from './part.ts'
import { refused } from './removal.ts'

export const formerSidecars = part({
  name: 'formerSidecars',
  steps: ({ survey }, _, now) => ('failed' in survey ? [] : restartSteps(survey.read.due, now)),
  holds: ({ survey }) => 'failed' in survey || survey.read.isCutShort,
  reports: ({ survey }, { results }) => {
    if ('failed' in survey) return { findings: [refused(survey.failed)] }
    const { due, isCutShort } = survey.read
    const tried = restartsTried(due, results)
    const report = { events: restartEvents(tried), measured: restartsMeasured(tried) }
    if (!isCutShort && !results.some(({ error }) => error)) return report
    const finding = { state: 'Deleting', description: descriptions.deleting, answer: 'chunksDue' } as const
    return { ...report, findings: [finding] }
  },
})
