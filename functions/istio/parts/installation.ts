// Installs Istio, upgrades it and repairs it, wave by wave. The finalizer comes first, in the pass that saves the first inventory.
// Nothing below this part runs before all objects are ready.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { afterSteps } from '../../../shared/component/applied/after-steps.ts'
import { storedItems } from '../../../shared/component/inventory/stored-inventory.ts'
import { plan } from '../../../shared/component/plan.ts'
import { dependentEvents } from '../../../shared/component/told/dependent-events.ts'
import { hasFinalizer } from '../../../shared/core/object.ts'
import type { EventNote, StatusChange } from '../../../shared/core/plan.ts'
import type { ClusterFacts } from '../rules/cluster-facts.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { installationFinding, isWorkLeft, processingSince } from '../rules/installation/progress.ts'
import { begunChanges } from '../rules/restarts/begun-changes.ts'
import { targetTag } from '../rules/version.ts'
import type { InstallationFacts, World } from '../world.ts'
import { type IstioTelling, type PartTried, part } from './part.ts'

type Possible = Extract<InstallationFacts, { is: 'possible' }>

export const meshInstallation = part({
  name: 'installation',
  steps: (facts, { istio }, now) => {
    const { finalizer } = istioNames
    if (!hasFinalizer(istio, finalizer)) return [{ do: 'addFinalizer', target: istio, finalizer }]
    return facts.is === 'impossible' ? [] : plan(facts.dependents, now).steps
  },
  tells: (facts, tried) =>
    facts.is === 'impossible' ? { findings: [facts.finding], stops: true } : tellingOf(facts, tried),
})

const tellingOf = (facts: Possible, { world, results, now }: PartTried): IstioTelling => {
  const { dependents, cluster } = facts
  // The finalizer is no matter of the engine, whose steps say in which cluster they are.
  const tried = { plan: plan(dependents, now), results: results.filter(({ step }) => step.on !== undefined) }
  const after = afterSteps(dependents, tried, now)
  const since = processingSince(world.istio, after, now)
  const finding = installationFinding(after, { dependents, since, now, installSeconds: world.settings.installSeconds })
  const telling = {
    restarts: begunChanges(world.istio, now),
    status: { inventory: storedItems(after.items), installation: standing(facts, { world, since, finding }) },
    events: [...dependentEvents(dependents, tried).filter(isWorthTelling), ...featuresIgnored(cluster)],
  }
  if (isWorkLeft(after)) return { ...telling, again: true, stops: true }
  return finding === undefined ? telling : { ...telling, findings: [finding], stops: true }
}

type Reached = {
  readonly world: World
  readonly since: string | undefined
  readonly finding: IstioFinding | undefined
}

const standing = ({ source }: Possible, { world, since, finding }: Reached): StatusChange => ({
  charts: source,
  state: finding?.state ?? 'Ready',
  processingSince: since ?? null,
  observedGeneration: world.istio.metadata.generation,
  ...(finding === undefined && { version: targetTag(world.settings) }),
})

/** An installation makes dozens of objects: only what nobody expects is told. */
const isWorthTelling = ({ type, reason }: EventNote): boolean => type === 'Warning' || reason === 'DriftCorrected'

/** Once for each fault. */
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
