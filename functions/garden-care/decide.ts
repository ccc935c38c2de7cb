// The four conditions of a Garden's health, each an ordered list of checks whose first fault is its reason. How long a fault counts
// as Progressing is decided in shared/core/objects/gardener-condition.ts, by the thresholds of the installation.
import { checks } from '../../shared/core/decisions/checks.ts'
import type { Next, Plan } from '../../shared/core/decisions/plan.ts'
import { type Reading, whenRead } from '../../shared/core/decisions/reading.ts'
import { conditionLimits } from '../../shared/core/objects/condition.ts'
import {
  type Finding,
  failingStatus,
  type GardenerCondition,
  initializedCondition,
  updatedCondition,
} from '../../shared/core/objects/gardener-condition.ts'
import { shortened } from '../../shared/core/text/text.ts'
import {
  apiServerDown,
  type ConditionType,
  checkError,
  type HealthFault,
  healthy,
  healthzFailed,
  healthzRefused,
  saysTheSame,
} from './reasons.ts'
import {
  type Listed,
  managedResourceFault,
  observabilityDeployments,
  observabilityManagedResources,
  observabilityStatefulSets,
  runtimeManagedResources,
  virtualDeployments,
  virtualEtcds,
  virtualManagedResources,
} from './rules/components.ts'
import { deployments, etcds, statefulSets, type WorkloadKind, workloadFault } from './rules/workloads.ts'
import type { ApiServerHealth, World } from './world.ts'

type ConditionCheck = (world: World) => HealthFault | undefined

type WorkloadList = 'etcds' | 'deployments' | 'statefulSets'

const workloads =
  (list: WorkloadList, kind: WorkloadKind, names: readonly string[]): ConditionCheck =>
  world =>
    judged(world[list], stored => workloadFault(kind, { names, stored }))

const managedResources =
  (condition: ConditionType, listed: readonly Listed[]): ConditionCheck =>
  world =>
    judged(world.managedResources, stored => managedResourceFault({ condition, listed }, stored))

const runtimeComponents: ConditionCheck = world =>
  judged(world.istiod, istiod =>
    managedResources('RuntimeComponentsHealthy', runtimeManagedResources(world, istiod))(world),
  )

/** Returns the fault of a condition; undefined: the condition is True. */
const faultOf: Readonly<Record<ConditionType, ConditionCheck>> = {
  VirtualGardenAPIServerAvailable: world => judged(world.apiServer, apiServerFault),
  RuntimeComponentsHealthy: runtimeComponents,
  VirtualComponentsHealthy: checks(
    workloads('etcds', etcds, virtualEtcds),
    workloads('deployments', deployments, virtualDeployments),
    managedResources('VirtualComponentsHealthy', virtualManagedResources),
  ),
  ObservabilityComponentsHealthy: checks(
    workloads('deployments', deployments, observabilityDeployments),
    world => workloads('statefulSets', statefulSets, observabilityStatefulSets(world))(world),
    world => managedResources('ObservabilityComponentsHealthy', observabilityManagedResources(world))(world),
  ),
}

const types = Object.keys(faultOf) as ConditionType[]

/** The first pass saves new conditions as Unknown. The next pass judges them. */
export const decide = (world: World, now: Date): Plan => {
  const conditions = world.garden.status?.conditions ?? []
  const fresh = types.filter(type => !conditions.some(condition => condition.type === type))
  if (fresh.length > 0)
    return saying([...conditions, ...fresh.map(type => initializedCondition(type, now))], { is: 'again' })
  const after = conditions.map(condition =>
    isOurs(condition) ? judgedCondition(condition, { world, now }) : condition,
  )
  return saying(after, { is: 'settled', againSeconds: world.settings.careSeconds })
}

const saying = (conditions: readonly GardenerCondition[], next: Next): Plan => ({
  steps: [],
  status: { conditions },
  events: [],
  next,
})

type OurCondition = GardenerCondition & { type: ConditionType }

const isOurs = (condition: GardenerCondition): condition is OurCondition => types.some(type => type === condition.type)

const judgedCondition = (before: OurCondition, { world, now }: { world: World; now: Date }): GardenerCondition => {
  const fault = faultOf[before.type](world)
  const finding = fault ? failing(fault, before, { world, now }) : { ...healthy[before.type], status: 'True' as const }
  return updatedCondition(before, { finding, now, sameMessage: saysTheSame })
}

const failing = (fault: HealthFault, before: OurCondition, { world, now }: { world: World; now: Date }): Finding => {
  const shown = bounded(fault)
  if (fault.isUnknown) return { ...shown, status: 'Unknown' }
  const thresholdSeconds = world.settings.conditionThresholds[before.type]
  const { state, lastUpdateTime } = world.garden.status?.lastOperation ?? {}
  const succeededAt = state === 'Succeeded' ? lastUpdateTime : undefined
  return { ...shown, status: failingStatus(before, { reason: shown.reason, thresholdSeconds, succeededAt, now }) }
}

/** Texts come from other programs, so long texts are shortened, and values that are not text are shown as JSON. */
const bounded = ({ reason, message }: HealthFault) => ({
  reason: textOf(reason, conditionLimits.reason),
  message: textOf(message, conditionLimits.message),
})

const textOf = (said: unknown, most: number): string =>
  shortened(most, typeof said === 'string' ? said : JSON.stringify(said))

const judged = <T>(reading: Reading<T>, judge: (read: T) => HealthFault | undefined): HealthFault | undefined =>
  whenRead(reading, judge, checkError)

const apiServerFault = (health: ApiServerHealth): HealthFault | undefined => {
  switch (health.is) {
    case 'unknowable':
      return apiServerDown
    case 'silent':
      return healthzFailed(health.milliseconds, health.error)
    case 'answered':
      return health.code === 200 ? undefined : healthzRefused(health.code, health.body)
  }
}
