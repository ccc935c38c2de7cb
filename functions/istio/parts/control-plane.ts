// Restarts istiod, the CNI plugin and the ingress gateway when NetworkPolicies are switched on or off: policies do not end open
// connections.
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

/** Leaves out the ingress gateway if part ingressGateway restarts it in this pass. */
const withoutGateway = ({ due }: NamedRestarts, { facts }: World): NamedRestarts['due'] => {
  const own = facts.ingressGateway?.due ?? []
  return due.filter(({ workload }) => !own.some(one => one.workload.metadata.uid === workload.metadata.uid))
}

const failed = (cause: string): IstioFinding => ({
  state: 'Error',
  description: descriptions.controlPlaneFailed(cause),
  answer: 'backoff',
})
