// Parts that restart workloads. `ingressGateway` restarts the gateway after changes of fields that it reads only when it starts.
// `controlPlane` restarts istiod, CNI plugin and gateway when NetworkPolicies are switched on or off, because old connections would
// otherwise stay open. `sidecars` restarts workloads with outdated sidecars, some per call, workloads of Kyma first.
import { descriptions } from '../reasons.ts'
import { failure, type IstioFinding, uninstallFailed } from '../rules/findings.ts'
import type { StuckOwner, Survey } from '../rules/restarts/pod-survey.ts'
import type { NamedRestarts } from '../rules/restarts/restart-notes.ts'
import {
  type RestartTried,
  restartEvents,
  restartSteps,
  restartsMeasured,
  restartsTried,
  rollStep,
  workloadsText,
} from '../rules/restarts/restart-steps.ts'
import {
  controlPlaneFields,
  gatewayFields,
  type NamedTarget,
  type RestartField,
} from '../rules/restarts/restart-targets.ts'
import { strayVersion } from '../rules/version.ts'
import type { SidecarsFacts, World } from '../world.ts'
import { type IstioPart, type IstioPartReport, notedReport, type PartTried, part } from './part.ts'

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

/** After a restart another pass follows, which finds the change in force. */
const namedReport = (
  target: NamedTarget,
  { due, noted }: NamedRestarts,
  { results, failed }: Pick<NamedPart, 'failed'> & Pick<PartTried, 'results'>,
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

export const sidecars = part({
  name: 'sidecars',
  steps: (facts, _, now) =>
    facts.is === 'surveyed' && 'read' in facts.survey ? restartSteps(facts.survey.read.due, now) : [],
  inForce: facts => {
    if (facts.is === 'unknown') return {}
    const isInForce = areSidecarsAsWanted(facts)
    return { compatibilityMode: isInForce, enableDNSProxying: isInForce, proxyStatsMatcher: isInForce }
  },
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

/**
 * Restarts workloads that still have sidecars of the removed mesh, some per call. Workloads that cannot be restarted do not block the
 * deletion.
 */
export const formerSidecars = part({
  name: 'formerSidecars',
  steps: ({ survey }, _, now) => ('failed' in survey ? [] : restartSteps(survey.read.due, now)),
  holds: ({ survey }) => 'failed' in survey || survey.read.isCutShort,
  reports: ({ survey }, { results }) => {
    if ('failed' in survey) return { findings: [uninstallFailed(survey.failed)] }
    const { due, isCutShort } = survey.read
    const tried = restartsTried(due, results)
    const report = { events: restartEvents(tried), measured: restartsMeasured(tried) }
    if (!isCutShort && !results.some(({ error }) => error)) return report
    const finding = { state: 'Deleting', description: descriptions.deleting, answer: 'chunksDue' } as const
    return { ...report, findings: [finding] }
  },
})

/** Holds restarts until all Pods of the mesh run the installed version. */
export const podVersions = part({
  name: 'podVersions',
  holds: ({ pods }, { settings }) => strayVersion(pods, settings) !== undefined,
  inForce: ({ pods }, { settings }) => (strayVersion(pods, settings) === undefined ? { version: true } : {}),
  reports: ({ pods }, { world: { settings } }) => {
    const description = strayVersion(pods, settings)
    return description === undefined ? {} : { findings: [failure(description)] }
  },
})
