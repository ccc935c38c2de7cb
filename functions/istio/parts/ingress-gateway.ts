// Restarts the ingress gateway when a field changed that it takes up in no other way, or a mesh resource that it starts with.
import { descriptions } from '../reasons.ts'
import type { IstioFinding } from '../rules/findings.ts'
import { namedSteps, namedTelling, notedTelling } from './named-restarts.ts'
import { part } from './part.ts'

export const ingressGateway = part({
  name: 'ingressGateway',
  steps: (restarts, _, now) => namedSteps(restarts, now),
  tells: (restarts, { results }) => {
    const isInForce = restarts.noted.is === 'noted' && restarts.due.length === 0
    return {
      ...(notedTelling(restarts.noted) ?? namedTelling(restarts, { target: 'ingressGateway', results, failed })),
      applied: {
        numTrustedProxies: isInForce,
        forwardClientCertDetails: isInForce,
        trustDomain: isInForce,
        proxyStatsMatcher: isInForce,
      },
    }
  },
})

const failed = (cause: string): IstioFinding => ({
  ...{ state: 'Error', description: descriptions.gatewayFailed(cause), answer: 'backoff' },
  ...{ reason: 'IngressGatewayRestartFailed', detail: cause },
})
