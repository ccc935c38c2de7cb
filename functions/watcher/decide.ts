// The VirtualService that a Watcher needs, and the Watcher's status. Without Istio, or if events should not pass Istio, there is no
// VirtualService: events reach the listener directly.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { checks } from '../../shared/core/decisions/checks.ts'
import { type Next, type Plan, type Step, type StepResult, settled } from '../../shared/core/decisions/plan.ts'
import { stepFaults } from '../../shared/core/decisions/steps.ts'
import { sameJson } from '../../shared/core/json/json.ts'
import { mergePatchTo } from '../../shared/core/json/merge-patch.ts'
import { withCondition } from '../../shared/core/objects/condition.ts'
import {
  groupOf,
  hasFinalizer,
  isDeleting,
  type KubeObject,
  type OwnerReference,
} from '../../shared/core/objects/object.ts'
import type { Watcher } from '../../shared/kyma/kinds.ts'
import { watcherFault, watcherManager } from '../../shared/kyma/watcher-fault.ts'
import { hostsOf, isMadeFor, isOwnedBy, virtualService } from './desired/virtual-service.ts'
import {
  type ConditionText,
  configured,
  faultEvent,
  gatewayNotFound,
  hostMissing,
  istioMissing,
  notConfigured,
  notNeeded,
  notRouted,
  portUnfit,
  routeEnding,
  routeTaken,
  virtualServiceCondition,
  type WatcherFault,
} from './reasons.ts'
import type { World } from './world.ts'

const finalizer = kymaNames.finalizers.watcher
const heldSeconds = 10

const faultOf = checks<[World], WatcherFault>(
  ({ watcher }) => ownFault(watcherFault(watcher)),
  ({ watcher: { spec } }) => !isPort(spec.serviceInfo.port) && portUnfit(spec.serviceInfo.port),
  world => isRouted(world) && gatewaysFault(world),
)

const ownFault = (text: string | undefined): WatcherFault | undefined =>
  text === undefined ? undefined : notRouted(text)

const gatewaysFault = checks<[World], WatcherFault>(
  ({ gateways }) => gateways === undefined && istioMissing,
  ({ gateways, watcher, settings }) => gateways?.length === 0 && gatewayNotFound(watcher, settings.gatewayNamespace),
  ({ gateways = [] }) => hostsOf(gateways).length === 0 && hostMissing,
  ({ virtualService, watcher }) => virtualService && !isMadeFor(watcher, virtualService) && routeTaken(virtualService),
  ({ virtualService }) => virtualService !== undefined && isDeleting(virtualService) && routeEnding,
)

export const decide = (world: World, now: Date): Plan => {
  if (isDeleting(world.watcher)) return leaving(world)
  const fault = faultOf(world)
  if (fault) return faulty(world, fault, now)
  return {
    steps: [{ do: 'addFinalizer', target: world.watcher, finalizer }, ...routing(world)],
    status: statusOf(world.watcher, isRouted(world) ? configured : notNeeded, now),
    events: [],
    next: { is: 'settled', againSeconds: world.settings.requeue },
  }
}

/**
 * A Watcher whose writes failed is not Ready. The Event about a fault is recorded after the status is saved, because the Event contains the time in
 * the status. If two processes find the fault in different seconds, only one process saves its time.
 */
export const report = ({ watcher }: World, plan: Plan, results: readonly StepResult[], now: Date) => {
  const hasFailed = stepFaults(results).length > 0
  const status = hasFailed && !isDeleting(watcher) ? statusOf(watcher, notConfigured, now) : plan.status
  return { status, events: [], afterwards: { steps: [], report: () => ({ events: plan.events }) } }
}

/** Deletes a VirtualService that is no longer wanted, if the Watcher owns it. */
const routing = (world: World): readonly Step[] => {
  const { watcher, gateways = [], virtualService: found } = world
  const own = ownRoute(world)
  if (!isRouted(world)) return own ? [deletion(own)] : []
  const route = { manager: watcherManager(watcher), gateways, hosts: hostsOf(gateways) }
  const object = virtualService(watcher, route)
  return [found ? { do: 'patch', target: found, merge: routeCorrection(found, object) } : { do: 'create', object }]
}

/** The VirtualService does not change. So events still arrive if the Watcher had no fault before. */
const faulty = (world: World, fault: WatcherFault, now: Date): Plan => {
  const status = statusOf(world.watcher, notConfigured, now)
  const [since] = status.conditions.map(({ lastTransitionTime }) => lastTransitionTime)
  return {
    steps: [{ do: 'addFinalizer', target: world.watcher, finalizer }],
    status,
    events: [faultEvent(fault, `${status.observedGeneration} ${since}`)],
    next: { is: 'waiting', seconds: world.settings.requeue, for: fault.text },
  }
}

/** Deletes the VirtualService first, so that no route leads to a deleted Watcher. */
const leaving = (world: World): Plan => {
  const route = ownRoute(world)
  const held: Next = { is: 'waiting', seconds: heldSeconds, for: 'the deletion of the VirtualService' }
  const release: Step = { do: 'removeFinalizer', target: world.watcher, finalizer }
  return {
    steps: [route ? deletion(route) : release],
    status: hasFinalizer(world.watcher, finalizer) ? { state: 'Deleting' } : {},
    events: [],
    next: route === undefined ? settled : isDeleting(route) ? held : { is: 'again' },
  }
}

/** Whether events pass Istio. */
const isRouted = ({ settings: { eventIngress }, gateways }: World): boolean =>
  eventIngress === 'istio' || (eventIngress === 'auto' && gateways !== undefined)

const isPort = (port: number): boolean => port >= 1 && port <= 65_535

const ownRoute = ({ watcher, virtualService }: World): KubeObject | undefined =>
  virtualService && isOwnedBy(watcher, virtualService) ? virtualService : undefined

const deletion = (target: KubeObject): Step => ({ do: 'delete', target })

const statusOf = ({ metadata, status }: Watcher, text: ConditionText, now: Date) => {
  const observedGeneration = metadata.generation ?? 0
  const change = { ...virtualServiceCondition, ...text, observedGeneration }
  const conditions = withCondition(status?.conditions ?? [], change, now)
  return { state: text.status === 'False' ? 'Error' : 'Ready', conditions, observedGeneration }
}

/** Keeps owners, labels and annotations from other programs. The whole spec is ours. */
const routeCorrection = ({ metadata, spec }: KubeObject, wanted: KubeObject): Record<string, unknown> => {
  const before = metadata.ownerReferences ?? []
  const ownerReferences = owners(before, wanted.metadata.ownerReferences ?? [])
  return {
    ...(!sameJson(before, ownerReferences) && { metadata: { ownerReferences } }),
    spec: mergePatchTo(spec ?? {}, wanted.spec),
  }
}

/**
 * An object may have only one controller. A former Watcher of the same name is removed from the owners. If another object is the controller,
 * the Watcher becomes an additional owner.
 */
const owners = (found: readonly OwnerReference[], wanted: readonly OwnerReference[]): readonly OwnerReference[] => {
  const isOf = (one: OwnerReference, other: OwnerReference) =>
    one.name === other.name && one.kind === other.kind && groupOf(one.apiVersion) === groupOf(other.apiVersion)
  const others = found.filter(owner => !wanted.some(ours => owner.uid !== ours.uid && isOf(owner, ours)))
  const missing = wanted.filter(({ uid }) => !others.some(owner => owner.uid === uid))
  const isControlled = others.some(({ controller }) => controller)
  return [...others, ...missing.map(({ controller, ...owner }) => (isControlled ? owner : { ...owner, controller }))]
}
