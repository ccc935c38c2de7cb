// Restarts the ingress gateway when a field or a mesh resource changed that it reads only at its start.
import { descriptions } from '../reasons.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { areRestartsOver, namedReport, namedSteps } from './named-restarts.ts'
import { part } from './part.ts'

export const ingressGateway = part({
  name: 'ingressGateway',
  steps: (restarts, _, now) => namedSteps(restarts, now),
  inForce: restarts => {
    const isInForce = areRestartsOver(restarts)
    return {
      numTrustedProxies: isInForce,
      forwardClientCertDetails: isInForce,
      trustDomain: isInForce,
      proxyStatsMatcher: isInForce,
    }
  },
  reports: (restarts, { results }) => namedReport(restarts, { target: 'ingressGateway', results, failed }),
})

const failed = (cause: string): IstioFinding => ({
  state: 'Error',
  description: descriptions.gatewayFailed(cause),
  answer: 'backoff',
  reason: 'IngressGatewayRestartFailed',
  detail: cause,
})
