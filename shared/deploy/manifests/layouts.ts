// The layouts in which a landscape can run: one host for all functions, one host per function, or Knative; and their common base. Each
// is one kustomize folder.
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { everywhere, hostAccount, isForOwn } from '../access/accounts.ts'
import { relayAccess } from '../access/relay-access.ts'
import { namespacesOf } from '../access/roles.ts'
import { isCalledByRelay } from '../landscape/events.ts'
import { functionService, hostObjects } from '../workloads/host.ts'
import { knativePod } from '../workloads/host-pod.ts'
import { knativeService } from '../workloads/knative-service.ts'
import { relayObjects } from '../workloads/relay.ts'
import { relayRoutes } from '../workloads/relay-routes.ts'
import { ports } from './conventions.ts'
import { foreignNamespace, ownNamespace } from './namespace.ts'
import { networkPolicies, throughKnative } from './network-policies.ts'

export type Files = Record<string, readonly KubeObject[]>

/** Relay and network policies: the same in every layout. */
export const base = (landscape: Landscape): Files => ({
  'network-policies': networkPolicies(landscape.provider.namespace),
  relay: relayObjects(landscape),
})

/** Our own namespace, and those that roles are for, which `npm start` makes. */
export const namespaces = (landscape: Landscape): KubeObject[] => {
  const own = landscape.provider.namespace
  const rules = [...Object.values(landscape.functions).flatMap(settings => settings.access), ...relayAccess(landscape)]
  return [
    ownNamespace(own),
    ...namespacesOf(rules)
      .filter(name => name !== own && !everywhere.includes(name))
      .map(foreignNamespace),
  ]
}

export const oneHost = (landscape: Landscape): Files => ({
  'host-account': hostAccount(landscape).filter(isForOwn(landscape)),
  host: hostObjects(landscape, 'host', Object.keys(landscape.functions)),
  'relay-routes': serviceRoutes(landscape),
})

export const perFunction = (landscape: Landscape): Files => ({
  ...forEachFunction(landscape, name => hostObjects(landscape, name, [name])),
  'relay-routes': serviceRoutes(landscape),
})

const serviceRoutes = (landscape: Landscape): KubeObject[] => [
  relayRoutes(landscape, name => `https://${name}.${landscape.provider.namespace}.svc:${ports.functions}`),
]

/** Knative names the Service of a function like the function itself, and serves it on port 80. */
export const knative = (landscape: Landscape): Files => ({
  ...forEachFunction(landscape, name => knativeObjects(landscape, name)),
  'knative-network-policy': [throughKnative(landscape.provider.namespace)],
  'relay-routes': [relayRoutes(landscape, name => `http://${name}.${landscape.provider.namespace}.svc.cluster.local`)],
})

const knativeObjects = (landscape: Landscape, name: string): KubeObject[] => {
  const settings = landscape.functions[name]
  if (settings === undefined) return []
  const pod = knativePod(landscape, name)
  const { namespace } = landscape.provider
  const direct = isCalledByRelay(settings) ? [] : [functionService({ landscape, name, selector: pod.selector })]
  return [knativeService({ name, namespace }, settings, pod), ...direct]
}

const forEachFunction = (landscape: Landscape, objects: (name: string) => KubeObject[]): Files =>
  Object.fromEntries(Object.keys(landscape.functions).map(name => [name, objects(name)]))
