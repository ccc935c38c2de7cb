// The condition of a Watcher, its texts and its Event are API. The condition has the reason Ready in every status.
import type { EventNote } from '../../shared/core/decisions/plan.ts'
import { type KubeObject, keyOf, keyText } from '../../shared/core/objects/object.ts'
import type { Watcher } from '../../shared/kyma/kinds.ts'

export type ConditionText = { readonly status: 'True' | 'False' | 'Unknown'; readonly message: string }

export const virtualServiceCondition = { type: 'VirtualService', reason: 'Ready' } as const

export const configured: ConditionText = { status: 'True', message: 'VirtualService is configured' }

/** The Watcher has a fault, or a write failed. */
export const notConfigured: ConditionText = { status: 'False', message: 'VirtualService is not configured' }

/** No VirtualService is needed. */
export const notNeeded: ConditionText = { status: 'Unknown', message: 'events reach the listener directly' }

/** Why a Watcher cannot be routed: shown to callers, in logs, and in an Event. */
export type WatcherFault = { readonly text: string; readonly reason: string }

/** The Watcher cannot be served, but not because of a missing Gateway. */
export const notRouted = (text: string): WatcherFault => ({ text, reason: 'WatcherNotConfigured' })

/** Without the kinds of Istio, no event can be routed. */
export const istioMissing = notRouted('the API server does not serve the kinds Gateway and VirtualService of Istio')

/** The port is not valid for a Service. */
export const portUnfit = (port: number): WatcherFault =>
  notRouted(`spec.serviceInfo.port is ${port}, expected a port from 1 to 65535`)

/** No Gateway in this namespace has the labels that spec.gateway.selector asks for. */
export const gatewayNotFound = ({ spec }: Watcher, namespace: string): WatcherFault => ({
  text: `no Gateway in namespace ${namespace} matches ${JSON.stringify(spec.gateway.selector)}`,
  reason: 'WatcherGatewayNotFound',
})

/** Without a host, no event can be routed. */
export const hostMissing = notRouted('no server of the selected Gateways has a host')

/** A VirtualService that is not ours has the name of the Watcher. */
export const routeTaken = (route: KubeObject): WatcherFault =>
  notRouted(`VirtualService ${keyText(keyOf(route))} already exists and does not belong to this Watcher`)

/** A new VirtualService is created when the old VirtualService is gone. */
export const routeEnding = notRouted('the VirtualService is being deleted')

/** Recorded once for each `occasion`. A different fault, or the same fault after a recovery, is recorded again. */
export const faultEvent = ({ text, reason }: WatcherFault, occasion: string): EventNote => ({
  type: 'Warning',
  reason,
  message: text,
  occasion,
})
