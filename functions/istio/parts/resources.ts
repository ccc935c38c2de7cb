// Keeps the mesh resources as they should be. If one is refused, the others are still written, but the parts below wait.
import { espalierVersion } from '../../../shared/api/espalier.ts'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { refOf } from '../../../shared/core/objects/object.ts'
import { type ResourceFacts, resourceName } from '../desired/resources/resource-row.ts'
import { descriptions } from '../reasons.ts'
import { resourcesFailed } from '../rules/findings.ts'
import { needsProxyProtocol } from '../rules/provider.ts'
import { isAsWanted, isRepairPaused, resourceSteps } from '../rules/resource-correction.ts'
import type { ResourcesFacts, World } from '../world.ts'
import { type PartTried, part } from './part.ts'

export const resources = part({
  name: 'resources',
  steps: (found, world, now) =>
    found.rows.flatMap(row => {
      const live = found.live.get(resourceName(row.ref))
      if (live !== undefined && 'failed' in live) return []
      return resourceSteps(row, { live: live?.read, facts: resourceFacts(found, world), now })
    }),
  holds: (found, world, now) => unread(found).length > 0 || pausedRepairs(found, world, now).length > 0,
  reports: (found, { world, results, now }) => {
    const faults = [...unread(found), ...refused(results), ...fought(found, { world, results, now })]
    return faults.length > 0 ? { findings: [resourcesFailed(faults)] } : {}
  },
})

const resourceFacts = (
  { isVpaServed, apiPort }: ResourcesFacts,
  { istio, settings, facts: { installation } }: World,
): ResourceFacts => {
  const cluster = installation?.cluster
  return {
    istio,
    isVpaServed,
    apiPort,
    version: espalierVersion,
    deployment: settings.deployment,
    hasControlPlaneVpas: cluster?.features.hasControlPlaneVpa === true,
    needsProxyProtocol: cluster !== undefined && needsProxyProtocol(cluster),
    hasNetworkPolicies: istio.spec.networkPoliciesEnabled === true,
  }
}

/** Names of resources that somebody changed right after our last write. */
const pausedRepairs = (found: ResourcesFacts, world: World, now: Date): string[] =>
  found.rows.flatMap(row => {
    const name = resourceName(row.ref)
    const live = found.live.get(name)
    const known = live !== undefined && 'read' in live ? live.read : undefined
    return isRepairPaused(row, { live: known, facts: resourceFacts(found, world), now }) ? [name] : []
  })

/** Besides those, what a write of this pass did not make as it is wanted: a webhook changed it on its way. */
const fought = (found: ResourcesFacts, { world, results, now }: PartTried): string[] => {
  const changed = results.flatMap(({ step, object, error }) => {
    const row = found.rows.find(({ ref }) => resourceName(ref) === nameIn(step))
    const isFought =
      row && object && !error && step.do !== 'delete' && !isAsWanted(row, object, resourceFacts(found, world))
    return isFought ? [nameIn(step)] : []
  })
  return [...pausedRepairs(found, world, now), ...changed].map(name => `${name}: ${descriptions.changedAtOnce}`)
}

const unread = ({ live }: ResourcesFacts): string[] =>
  [...live].flatMap(([name, reading]) => ('failed' in reading ? [`${name}: ${reading.failed}`] : []))

const refused = (results: readonly StepResult[]): string[] =>
  results.flatMap(({ step, error }) => (error ? [`${nameIn(step)}: ${error.message}`] : []))

const nameIn = (step: Step): string => resourceName(refOf(subjectOf(step)))
