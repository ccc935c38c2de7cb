// The condition of a Watcher, its texts and its Event. They are API: the reason is Ready whatever the status.
import type { EventNote } from '../../shared/core/decisions/plan.ts'
import { type KubeObject, keyOf, keyText } from '../../shared/core/objects/object.ts'
import type { Watcher } from '../../shared/kyma/kinds.ts'

export type ConditionText = { readonly status: 'True' | 'False' | 'Unknown'; readonly message: string }

export const virtualServiceCondition = { type: 'VirtualService', reason: 'Ready' } as const

/** The VirtualService is as it should be. */
export const configured: ConditionText = { status: 'True', message: 'VirtualService is configured' }

/** It is not, because the Watcher is at fault or a write failed. */
export const notConfigured: ConditionText = { status: 'False', message: 'VirtualService is not configured' }

/** No VirtualService is wanted. */
export const notNeeded: ConditionText = { status: 'Unknown', message: 'events reach the listener directly' }

/** Why a Watcher cannot be routed: shown to callers, in logs, and in an Event. */
export type WatcherFault = { readonly text: string; readonly reason: string }

/** Another reason than a missing Gateway, such as one that lies in the Watcher itself. */
export const notRouted = (text: string): WatcherFault => ({ text, reason: 'WatcherNotConfigured' })

/** There is nothing to route with. */
export const istioMissing = notRouted('the API server serves no Gateways and VirtualServices of Istio')

/** No Service has such a port. */
export const portUnfit = (port: number): WatcherFault =>
  notRouted(`spec.serviceInfo.port is ${port}, expected a port from 1 to 65535`)

/** No Gateway there has the labels that spec.gateway.selector asks for. */
export const gatewayNotFound = ({ spec }: Watcher, namespace: string): WatcherFault => ({
  text: `no Gateway in namespace ${namespace} matches ${JSON.stringify(spec.gateway.selector)}`,
  reason: 'WatcherGatewayNotFound',
})

/** Without a host nothing can be routed. */
export const hostMissing = notRouted('no server of the selected Gateways has a host')

/** It leads to something that its owner wants to be reached. */
export const routeTaken = (route: KubeObject): WatcherFault =>
  notRouted(`VirtualService ${keyText(keyOf(route))} is in the way: it was not made for this Watcher`)

/** Another one can be made when it is gone, which leads to a call. */
export const routeEnding = notRouted('the VirtualService is being deleted')

/** Recorded once for its `occasion`: another fault is recorded too, and so is the same fault after the Watcher was in order. */
export const faultEvent = ({ text, reason }: WatcherFault, occasion: string): EventNote => ({
  type: 'Warning',
  reason,
  message: text,
  occasion,
})
