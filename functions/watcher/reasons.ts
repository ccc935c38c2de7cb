// The condition of a Watcher, its texts and its Event. They are API: the reason is Ready whatever the status.

import type { EventNote } from '../../shared/core/plan.ts'
import type { Watcher } from '../../shared/kyma/kinds.ts'

export type ConditionText = { readonly status: 'True' | 'False' | 'Unknown'; readonly message: string }

export const virtualServiceCondition = { type: 'VirtualService', reason: 'Ready' } as const

/** The VirtualService is as it should be. */
export const configured: ConditionText = { status: 'True', message: 'VirtualService is configured' }

/** It is not, because the Watcher is at fault or a write failed. */
export const notConfigured: ConditionText = { status: 'False', message: 'VirtualService is not configured' }

/** No VirtualService is wanted. */
export const notNeeded: ConditionText = { status: 'Unknown', message: 'events reach the listener directly' }

/** Why a Watcher cannot be routed. It is told to callers and logs; `event` to people too. */
export type WatcherFault = { readonly text: string; readonly event?: EventNote }

/** There is nothing to route with. */
export const istioMissing: WatcherFault = { text: 'the API server serves no Gateways and VirtualServices of Istio' }

/** Nothing says what the path of events begins with. */
export const managerMissing: WatcherFault = {
  text: 'neither spec.manager nor the label operator.kyma-project.io/managed-by names a manager',
}

/** The path would not be a path, or another one. */
export const managerUnfit = (manager: string): WatcherFault => ({
  text: `the manager ${JSON.stringify(manager)} cannot be a part of a path`,
})

/** No Service has such a port. */
export const portUnfit = (port: number): WatcherFault => ({
  text: `spec.serviceInfo.port is ${port}, expected a port from 1 to 65535`,
})

/** No Gateway has the labels that spec.gateway.selector asks for. */
export const gatewayNotFound = ({ spec }: Watcher): WatcherFault => {
  const text = `no Gateway matches ${JSON.stringify(spec.gateway.selector)}`
  return { text, event: { type: 'Warning', reason: 'WatcherGatewayNotFound', message: text } }
}

/** Without a host nothing can be routed. */
export const hostMissing: WatcherFault = { text: 'no server of the selected Gateways has a host' }

/** Another one can be made when it is gone, which leads to a call. */
export const routeEnding: WatcherFault = { text: 'the VirtualService is being deleted' }
