// Maintains the mesh resources and the labels of istiod's own objects, and reports EnvoyFilters of users. If a write is refused, the other
// resources are still written, but later stages wait.
import { espalierVersion } from '../../../shared/api/espalier.ts'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { subjectOf } from '../../../shared/core/decisions/steps.ts'
import { refOf } from '../../../shared/core/objects/object.ts'
import { moduleLabelSteps } from '../desired/manifests.ts'
import { isAsWanted, type ResourceFacts, resourceName, resourceSteps } from '../desired/resource-row.ts'
import { descriptions } from '../reasons.ts'
import { needsProxyProtocol } from '../rules/cluster-facts.ts'
import { failure, resourcesFailed } from '../rules/findings.ts'
import type { ResourcesFacts, World } from '../world.ts'
import { part } from './part.ts'

export const resources = part({
  name: 'resources',
  steps: (found, world) =>
    found.rows.flatMap(row => {
      const live = found.live.get(resourceName(row.ref))
      if (live !== undefined && 'failed' in live) return []
      return resourceSteps(row, { live: live?.read, facts: resourceFacts(found, world) })
    }),
  holds: found => unread(found).length > 0,
  reports: (found, { world, results }) => {
    const faults = [...unread(found), ...refused(results), ...changedByOthers(found, world, results)]
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

/** Resources that differ from the desired state right after a write, because a webhook changed them. */
const changedByOthers = (found: ResourcesFacts, world: World, results: readonly StepResult[]): string[] =>
  results.flatMap(({ step, object, error }) => {
    const row = found.rows.find(({ ref }) => resourceName(ref) === nameIn(step))
    const isChanged =
      row && object && !error && step.do !== 'delete' && !isAsWanted(row, object, resourceFacts(found, world))
    return isChanged ? [`${nameIn(step)}: ${descriptions.changedAtOnce}`] : []
  })

const unread = ({ live }: ResourcesFacts): string[] =>
  [...live].flatMap(([name, reading]) => ('failed' in reading ? [`${name}: ${reading.failed}`] : []))

const refused = (results: readonly StepResult[]): string[] =>
  results.flatMap(({ step, error }) => (error ? [`${nameIn(step)}: ${error.message}`] : []))

const nameIn = (step: Step): string => resourceName(refOf(subjectOf(step)))

/** A label is missing if the write was refused, or if a webhook removed the label, as the answer to the write shows. */
const unlabelled = ({ step, error, object }: StepResult): readonly string[] => {
  const isLacking = object !== undefined && moduleLabelSteps([object]).length > 0
  const cause = error?.message ?? (isLacking ? descriptions.changedAtOnce : undefined)
  return cause === undefined ? [] : [`${nameIn(step)}: ${cause}`]
}

/** Sets the module's label on istiod's own objects, after everything else. */
export const istiodLabels = part({
  name: 'istiodLabels',
  steps: ({ found }) => moduleLabelSteps(found),
  reports: (_, { results }) => {
    const causes = results.flatMap(unlabelled)
    return causes.length > 0 ? { findings: [resourcesFailed(causes)] } : {}
  },
})

/** Reports EnvoyFilters that may break the ingress gateway, but does not change them, because they belong to users. */
export const envoyFilters = part({
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
