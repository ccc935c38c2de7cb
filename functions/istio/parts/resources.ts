// Keeps the mesh resources as they should be. If one is refused, the others are still written, but the parts below wait.
import { espalierVersion } from '../../../shared/api/espalier.ts'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { refOf } from '../../../shared/core/objects/object.ts'
import { type ResourceFacts, resourceName } from '../desired/resources/resource-row.ts'
import { resourcesFailed } from '../rules/findings.ts'
import { needsProxyProtocol } from '../rules/provider.ts'
import { resourceSteps } from '../rules/resource-correction.ts'
import type { ResourcesFacts, World } from '../world.ts'
import { part } from './part.ts'

export const resources = part({
  name: 'resources',
  steps: (found, world, now) =>
    found.rows.flatMap(row => {
      const live = found.live.get(resourceName(row.ref))
      if (live !== undefined && 'failed' in live) return []
      return resourceSteps(row, { live: live?.read, facts: resourceFacts(found, world), now })
    }),
  holds: found => unread(found).length > 0,
  reports: (found, { results }) => {
    const faults = [...unread(found), ...refused(results)]
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

const unread = ({ live }: ResourcesFacts): string[] =>
  [...live].flatMap(([name, reading]) => ('failed' in reading ? [`${name}: ${reading.failed}`] : []))

const refused = (results: readonly StepResult[]): string[] =>
  results.flatMap(({ step, error }) => (error ? [`${nameIn(step)}: ${error.message}`] : []))

const nameIn = (step: Step): string =>
  resourceName('target' in step ? refOf(step.target) : 'object' in step ? refOf(step.object) : refOf(step.into))
