// Installs, upgrades and repairs Istio. The finalizer is added first, in the pass that saves the first inventory. Later stages wait until
// all objects are ready.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { storedItems } from '../../../shared/component/item.ts'
import { afterSteps, type LaterObject, laterSteps, plan } from '../../../shared/component/plan.ts'
import { dependentEvents, driftMeasurements } from '../../../shared/component/reported/dependent-events.ts'
import { checks } from '../../../shared/core/decisions/checks.ts'
import type { EventNote, StatusChange } from '../../../shared/core/decisions/plan.ts'
import { hasFinalizer, type KubeObject } from '../../../shared/core/objects/object.ts'
import { withoutUser } from '../../../shared/core/text/text.ts'
import { descriptions } from '../reasons.ts'
import { appliedConfiguration } from '../rules/applied-configuration.ts'
import type { ClusterFacts } from '../rules/cluster-facts.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { annotationUnreadable, installFailed } from '../rules/findings.ts'
import { installationFinding, isWorkLeft, processingSince } from '../rules/installation-progress.ts'
import { managedResourceOf } from '../rules/installed-objects.ts'
import { begunChanges } from '../rules/restarts/restart-targets.ts'
import { type InUse, imageOf, tagOf, targetTag, versionRefusal } from '../rules/version.ts'
import type { InstallationFacts, OwnershipFacts, World } from '../world.ts'
import { type IstioPartReport, type PartTried, part } from './part.ts'

type Possible = Extract<InstallationFacts, { is: 'possible' }>

export const meshInstallation = part({
  name: 'installation',
  steps: (facts, { istio }, now) => {
    const { finalizer } = istioNames
    if (!hasFinalizer(istio, finalizer)) return [{ do: 'addFinalizer', target: istio, finalizer }]
    return facts.is === 'impossible' ? [] : plan(facts.dependents, now).steps
  },
  holds: (facts, world, now) => {
    if (facts.is === 'impossible') return true
    const { after, finding } = reached(facts, { world, results: [], now })
    return isWorkLeft(after) || finding !== undefined
  },
  reports: (facts, tried) => (facts.is === 'impossible' ? { findings: [facts.finding] } : reportOf(facts, tried)),
})

/** The objects that later passes apply or delete. */
export const laterInstalled = ({ facts: { installation } }: World, _: unknown, now: Date): LaterObject[] =>
  installation?.is === 'possible' ? laterSteps(plan(installation.dependents, now), installation.dependents.on) : []

const reached = ({ dependents }: Possible, { world, results, now }: PartTried) => {
  // The engine gets only the results of its own steps. A step of the engine names its cluster (`on`), the finalizer's step does not.
  const tried = { plan: plan(dependents, now), results: results.filter(({ step }) => step.on !== undefined) }
  const after = afterSteps(dependents, tried, now)
  const since = processingSince(world.istio, after, now)
  const { installSeconds } = world.settings
  return { tried, after, since, finding: installationFinding(after, { dependents, since, now, installSeconds }) }
}

const reportOf = (facts: Possible, { world, results, now }: PartTried): IstioPartReport => {
  const { dependents, cluster } = facts
  const { tried, after, since, finding } = reached(facts, { world, results, now })
  const report = {
    restarts: begunChanges(world.istio, now),
    status: { inventory: storedItems(after.items), installation: installationStatus(facts, { world, since, finding }) },
    measured: driftMeasurements('istio', dependents, tried),
    events: [...dependentEvents(dependents, tried).filter(isWorthAnEvent), ...featuresIgnored(cluster)],
  }
  if (isWorkLeft(after)) return { ...report, again: true }
  return finding === undefined ? report : { ...report, findings: [finding] }
}

type Reached = {
  readonly world: World
  readonly since: string | undefined
  readonly finding: IstioFinding | undefined
}

const installationStatus = ({ source }: Possible, { world, since, finding }: Reached): StatusChange => ({
  charts: source,
  state: finding?.state ?? 'Ready',
  processingSince: since ?? null,
  observedGeneration: world.istio.metadata.generation,
  ...(finding === undefined && { version: targetTag(world.settings) }),
})

/** Only unexpected changes get an Event, because an installation creates dozens of objects. */
const isWorthAnEvent = ({ type, reason }: EventNote): boolean => type === 'Warning' || reason === 'DriftCorrected'

/** One Event per fault. */
const featuresIgnored = ({ features: { fault } }: ClusterFacts): EventNote[] =>
  fault === undefined
    ? []
    : [
        {
          type: 'Warning',
          reason: 'IstioFeaturesIgnored',
          message: `ConfigMap kyma-system/istio-features: ${fault}`,
          occasion: fault,
        },
      ]

// Checks whether our version may be installed: istiod must not belong to a Garden, and an update from the current version must be allowed.

export const ownership = part({
  name: 'ownership',
  holds: (facts, world) => fault(world, facts) !== undefined,
  reports: (facts, { world }) => {
    const found = fault(world, facts)
    return found === undefined ? {} : { findings: [found] }
  },
})

const annotationFault = ({ istio }: World): IstioFinding | undefined => {
  const applied = appliedConfiguration(istio)
  return 'failed' in applied ? annotationUnreadable(applied.failed) : undefined
}

/** If a ManagedResource of a Garden owns istiod, its resource manager would revert our writes. */
const heldByGarden = (_: World, { istiod }: OwnershipFacts): IstioFinding | undefined => {
  const resource = istiod && managedResourceOf(istiod)
  return resource === undefined
    ? undefined
    : installFailed(`Deployment istio-system/istiod belongs to ManagedResource ${resource}`)
}

const versionRefused = ({ istio, settings }: World, { istiod }: OwnershipFacts): IstioFinding | undefined => {
  const inUse = versionInUse(istio, istiod)
  const text = inUse && versionRefusal(targetTag(settings), inUse)
  if (text === undefined) return undefined
  const description = descriptions.versionRefused(text)
  return { state: 'Warning', description, reason: 'IstioVersionUpdateNotAllowed', answer: 'refusedVersion' }
}

const fault = checks<[World, OwnershipFacts], IstioFinding>(annotationFault, heldByGarden, versionRefused)

/** The last applied version. Without the annotation, another program installed the mesh, so the version of istiod's image counts. */
const versionInUse = (istio: World['istio'], istiod: KubeObject | undefined): InUse | undefined => {
  const applied = appliedConfiguration(istio)
  const tag = 'read' in applied ? applied.read?.tag : undefined
  if (tag !== undefined) return { tag, image: tag }
  const image = istiod && imageOf(istiod, 'discovery')
  return image === undefined ? undefined : { tag: tagOf(image), image: withoutUser(image) }
}
