// The parts of istio in stages. All parts of a stage run. The next stage runs only if no part of the stage writes or holds. A new part also
// needs a field of Facts (world.ts) and a reader (gather/all-readers.ts).
import { type DecidedPart, decidedParts } from '../../../shared/core/decisions/parts.ts'
import type { StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { isDeleting, type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { moduleLabelSteps } from '../desired/installation/istiod-objects.ts'
import { resourceName } from '../desired/resources/resource-row.ts'
import { descriptions } from '../reasons.ts'
import { failure, resourcesFailed, uninstallFailed } from '../rules/findings.ts'
import { installedObjects } from '../rules/installation/found-objects.ts'
import { removalOf } from '../rules/resource-correction.ts'
import { restartEvents, restartSteps, restartsMeasured, restartsTried } from '../rules/restarts/restart-steps.ts'
import { strayVersion } from '../rules/version.ts'
import type { PartName, World } from '../world.ts'
import { blocking } from './blocking.ts'
import { meshInstallation, ownership } from './installation.ts'
import { controlPlanePart, ingressGateway } from './named-restarts.ts'
import { type IstioPart, part } from './part.ts'
import { removal } from './removal.ts'
import { resources } from './resources.ts'
import { sidecars } from './sidecars.ts'

/** Reports EnvoyFilters that may break the ingress gateway, but does not change them, because they belong to users. */
const envoyFilters = part({
  name: 'envoyFilters',
  // While the EnvoyFilter exists, the spec is not saved as applied.
  inForce: ({ forIngress }) => ({ spec: 'read' in forIngress && forIngress.read.length === 0 }),
  reports: ({ forIngress }) => {
    if ('failed' in forIngress)
      return {
        findings: [failure(descriptions.envoyFiltersUnread(forIngress.failed))],
        conditions: [{ reason: 'IngressTargetingUserResourceDetectionFailed' }],
      }
    const [first] = forIngress.read.map(({ metadata }) => metadata.name).sort()
    if (first === undefined) return { conditions: [{ reason: 'IngressTargetingUserResourceNotFound' }] }
    return {
      findings: [{ state: 'Warning', description: descriptions.envoyFilterFound(first), answer: 'userTask' }],
      conditions: [{ reason: 'IngressTargetingUserResourceFound' }],
    }
  },
})

// Restarts workloads that still have sidecars of the removed mesh, some per call. Workloads that cannot be restarted do not block the
// deletion.
const formerSidecars = part({
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

/** A label is missing if the write was refused, or if a webhook removed the label, as the answer to the write shows. */
const unlabelled = ({ step, error, object }: StepResult): readonly string[] => {
  const isLacking = object !== undefined && moduleLabelSteps([object]).length > 0
  const cause = error?.message ?? (isLacking ? descriptions.changedAtOnce : undefined)
  return cause === undefined ? [] : [`${resourceName(refOf(subjectOf(step)))}: ${cause}`]
}

/** Sets the module's label on istiod's own objects, after everything else. */
const istiodLabels = part({
  name: 'istiodLabels',
  steps: ({ found }) => moduleLabelSteps(found),
  reports: (_, { results }) => {
    const causes = results.flatMap(unlabelled)
    return causes.length > 0 ? { findings: [resourcesFailed(causes)] } : {}
  },
})

/** Removes mesh resources that no garbage collector deletes. */
const leftovers = part({
  name: 'leftovers',
  steps: ({ resources }) => ('failed' in resources ? [] : resources.read.flatMap(removalOf)),
  holds: ({ resources }) => 'failed' in resources,
  reports: ({ resources }, { results }) => {
    const faults = [
      ...('failed' in resources ? [resources.failed] : []),
      ...results.flatMap(({ error }) => error?.message ?? []),
    ]
    return faults.length > 0 ? { findings: [uninstallFailed(faults.join('; '))] } : {}
  },
})

/** Holds restarts until all Pods of the mesh run the installed version. */
const podVersions = part({
  name: 'podVersions',
  holds: ({ pods }, { settings }) => strayVersion(pods, settings) !== undefined,
  inForce: ({ pods }, { settings }) => (strayVersion(pods, settings) === undefined ? { version: true } : {}),
  reports: ({ pods }, { world: { settings } }) => {
    const description = strayVersion(pods, settings)
    return description === undefined ? {} : { findings: [failure(description)] }
  },
})

type Stages = readonly (readonly IstioPart[])[]

const life: Stages = [
  [ownership],
  [meshInstallation],
  [podVersions],
  [resources],
  [ingressGateway, sidecars, controlPlanePart, envoyFilters],
  [istiodLabels],
]

/** The finalizer is removed after the last stage. */
const deletion: Stages = [[blocking], [removal], [formerSidecars], [leftovers]]

export type PartsRun = {
  readonly parts: readonly DecidedPart<IstioPart>[]
  readonly below: Stages
  /** A part writes or holds, so no further stage runs in this pass. */
  readonly isHeld: boolean
}

/** The facts, and the parts that ran while they were read. */
export type RunWorld = World & { readonly run: PartsRun }

export const runBegins = (istio: KubeObject): PartsRun => ({
  parts: [],
  below: isDeleting(istio) ? deletion : life,
  isHeld: false,
})

/** The parts of the next stage. Empty: no further stage runs in this pass. */
export const factsNeeded = ({ below: [next = []], isHeld }: PartsRun): readonly PartName[] =>
  isHeld ? [] : next.map(({ name }) => name)

export const withNextStage = ({ parts, below: [next = [], ...below] }: PartsRun, world: World, now: Date): PartsRun => {
  const decided = decidedParts(next, world, now)
  const isHeld = decided.some(({ part, steps }) => steps.length > 0 || part.holds(world, now))
  return { parts: [...parts, ...decided], below, isHeld }
}

export const isThrough = ({ below, isHeld }: PartsRun): boolean => below.length === 0 && !isHeld

/**
 * The installed objects that a pass read. undefined: the pass wrote an installed object. Writes to mesh resources and to the Istio do not
 * count.
 */
export const untouchedInstallation = ({ run, istio, facts }: RunWorld): readonly KubeObject[] | undefined => {
  const isUntouched = ({ part: { name }, steps }: DecidedPart<IstioPart>) =>
    name === 'resources' || steps.every(step => 'target' in step && step.target === istio)
  return run.parts.every(isUntouched) ? installedObjects(facts) : undefined
}
