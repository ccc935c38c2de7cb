// Installs Istio, upgrades it and repairs it, wave by wave. The finalizer comes first, in the pass that saves the first inventory.
// Nothing below this part runs before all objects are ready.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { afterSteps } from '../../../shared/component/applied/after-steps.ts'
import { storedItems } from '../../../shared/component/inventory/item.ts'
import { plan } from '../../../shared/component/plan.ts'
import { dependentEvents, driftMeasurements } from '../../../shared/component/reported/dependent-events.ts'
import type { EventNote, StatusChange } from '../../../shared/core/decisions/plan.ts'
import { hasFinalizer } from '../../../shared/core/objects/object.ts'
import type { ClusterFacts } from '../rules/cluster-facts.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { installationFinding, isWorkLeft, processingSince } from '../rules/installation/progress.ts'
import { begunChanges } from '../rules/restarts/restart-fields.ts'
import { targetTag } from '../rules/version.ts'
import type { InstallationFacts, World } from '../world.ts'
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

const reached = ({ dependents }: Possible, { world, results, now }: PartTried) => {
  // The engine gets the results of its own steps. They name their cluster (`on`); the step of the finalizer does not.
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

/** An installation makes dozens of objects: only what nobody expects is an Event. */
const isWorthAnEvent = ({ type, reason }: EventNote): boolean => type === 'Warning' || reason === 'DriftCorrected'

/** One Event for each fault. */
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
