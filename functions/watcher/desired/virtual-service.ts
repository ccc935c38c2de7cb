// The route for events about the objects of a Watcher: through its Gateways to its Service.
import { isText, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { type KubeObject, keyOf, keyText } from '../../../shared/core/objects/object.ts'
import type { Watcher } from '../../../shared/kyma/kinds.ts'
import type { Gateway } from '../world.ts'

export const virtualServiceKind = { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService' } as const

type Route = {
  readonly manager: string
  readonly gateways: readonly Gateway[]
  readonly hosts: readonly string[]
}

/** The VirtualService has the name of the Watcher and is deleted together with the Watcher. */
export const virtualService = (watcher: Watcher, { manager, gateways, hosts }: Route): KubeObject => ({
  ...virtualServiceKind,
  metadata: { ...keyOf(watcher), ownerReferences: [ownerReference(watcher)] },
  spec: {
    gateways: gateways.map(gateway => keyText(keyOf(gateway))),
    hosts,
    http: [
      {
        name: routeName(watcher),
        match: [{ uri: { prefix: `/v2/${manager}/event` } }],
        route: [{ destination: destination(watcher) }],
      },
    ],
  },
})

export const isOwnedBy = ({ metadata }: Watcher, { metadata: { ownerReferences = [] } }: KubeObject): boolean =>
  ownerReferences.some(({ uid }) => uid === metadata.uid)

/**
 * Whether the VirtualService belongs to the Watcher. The name also counts, not only the owner: some versions of the Go operator set no owner, and
 * users edit owners. But the VirtualService always has the Watcher's name.
 */
export const isMadeFor = (watcher: Watcher, object: KubeObject): boolean =>
  isOwnedBy(watcher, object) || mapsIn(mapOrEmpty(object.spec).http).some(({ name }) => name === routeName(watcher))

const routeName = (watcher: Watcher): string => keyText(keyOf(watcher))

const destination = ({ spec: { serviceInfo } }: Watcher) => ({
  host: `${serviceInfo.name}.${serviceInfo.namespace}.svc.cluster.local`,
  port: { number: serviceInfo.port },
})

const ownerReference = ({ apiVersion, kind, metadata: { name, uid = '' } }: Watcher) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
})

/**
 * The hosts of all servers, without duplicates. A host of a Gateway may begin with a namespace, as in `team/host`; a host of a route may not. The
 * definition of Gateways in our charts allows any value for servers and hosts, so values that are not text are ignored.
 */
export const hostsOf = (gateways: readonly Gateway[]): readonly string[] => [
  ...new Set(
    gateways
      .flatMap(({ spec }) => mapsIn(spec?.servers).flatMap(({ hosts }) => (Array.isArray(hosts) ? hosts : [])))
      .filter(isText)
      .map(host => host.slice(host.indexOf('/') + 1)),
  ),
]
