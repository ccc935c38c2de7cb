// Restarts istiod, the CNI plugin and the ingress gateway when NetworkPolicies come or go: connections that they have would stay as they
// are.
import { descriptions } from '../reasons.ts'
import type { IstioFinding } from '../rules/findings.ts'
import type { NamedRestarts } from '../rules/restarts/named-workloads.ts'
import type { World } from '../world.ts'
import { areRestartsOver, namedReport, namedSteps } from './named-restarts.ts'
import { part } from './part.ts'

export const controlPlanePart = part({
  name: 'controlPlane',
  steps: (restarts, world, now) => namedSteps({ due: withoutGateway(restarts, world) }, now),
  inForce: restarts => ({ networkPoliciesEnabled: areRestartsOver(restarts) }),
  reports: (restarts, { results }) => namedReport(restarts, { target: 'controlPlane', results, failed }),
})

/** Where the ingress gateway is restarted for something of its own, that is enough. */
const withoutGateway = ({ due }: NamedRestarts, { facts }: World): NamedRestarts['due'] => {
  const own = facts.ingressGateway?.due ?? []
  return due.filter(({ workload }) => !own.some(one => one.workload.metadata.uid === workload.metadata.uid))
}

const failed = (cause: string): IstioFinding => ({
  ...{ state: 'Error', description: descriptions.controlPlaneFailed(cause), answer: 'backoff' },
})
