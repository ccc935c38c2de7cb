// The mesh resources that we keep beside the installation, in the order in which they are applied.
import { kymaReferer } from './kyma-referer.ts'
import { meshPolicies } from './network-policies.ts'
import { peerAuthentication } from './peer-authentication.ts'
import { proxyProtocol } from './proxy-protocol.ts'
import type { ResourceRow } from './resource-row.ts'
import { verticalPodAutoscalers } from './vertical-pod-autoscalers.ts'

export const resourceRows: readonly ResourceRow[] = [
  peerAuthentication,
  kymaReferer,
  proxyProtocol,
  ...meshPolicies,
  ...verticalPodAutoscalers,
]
