// Reports EnvoyFilters of users that may break the ingress gateway. They belong to the users, so nothing is done to them.
import { descriptions } from '../reasons.ts'
import { part } from './part.ts'

export const envoyFilters = part({
  name: 'envoyFilters',
  // While there is one the spec is not saved as being in force.
  inForce: ({ forIngress }) => ({ spec: 'read' in forIngress && forIngress.read.length === 0 }),
  reports: ({ forIngress }) => {
    if ('failed' in forIngress) {
      const description = descriptions.envoyFiltersUnread(forIngress.failed)
      return {
        findings: [{ state: 'Error', description, answer: 'backoff' }],
        conditions: [{ reason: 'IngressTargetingUserResourceDetectionFailed' }],
      }
    }
    const [first] = forIngress.read.map(({ metadata }) => metadata.name).sort()
    if (first === undefined) return { conditions: [{ reason: 'IngressTargetingUserResourceNotFound' }] }
    return {
      findings: [{ state: 'Warning', description: descriptions.envoyFilterFound(first), answer: 'userTask' }],
      conditions: [{ reason: 'IngressTargetingUserResourceFound' }],
    }
  },
})
