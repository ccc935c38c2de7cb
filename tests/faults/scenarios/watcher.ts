// A Watcher, the Gateways that it selects, and people who edit and delete what it needs. Its Gateway comes late: whoever sees the
// world as it was in the beginning has nothing to route.
import { watcherKind } from '../../../shared/api/kyma.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import { watcher } from '../../make/kyma/kyma.ts'
import type { Scenario, Stage } from '../scenario.ts'

const namespace = 'kcp-system'
const istio = 'networking.istio.io/v1'
const gatewayKind = { apiVersion: istio, kind: 'Gateway' }
const routeKind = { apiVersion: istio, kind: 'VirtualService' }
const theWatcher: ObjectRef = { ...watcherKind, namespace, name: 'faulty-watcher' }
const theRoute: ObjectRef = { ...routeKind, namespace, name: theWatcher.name }
const theGateway: ObjectRef = { ...gatewayKind, namespace, name: 'faulty-gateway' }

const gatewayFields = {
  metadata: { name: theGateway.name, namespace, labels: { app: 'gateway' } },
  spec: { servers: [{ hosts: ['one.example.com'] }] },
}

const serving = (hosts: readonly string[]) => ({ servers: [{ hosts }] })

/** The Watcher is in this state, and its VirtualService has these hosts and this port; undefined: there is none. */
const routed =
  (state: string, route?: { hosts: string; port: number }): Stage['faults'] =>
  objects => [
    ...difference('state', state, stateOf(objects.find(({ kind }) => kind === 'Watcher'))),
    ...difference('route', route, routeOf(objects.find(({ kind }) => kind === 'VirtualService'))),
  ]

type Route = { hosts: readonly string[]; http: readonly { route: readonly { destination: Destination }[] }[] }
type Destination = { port: { number: number } }

const stateOf = (object: KubeObject | undefined) => (object?.status as { state?: string } | undefined)?.state

const routeOf = (object: KubeObject | undefined) => {
  const { hosts = [], http = [] } = (object?.spec ?? {}) as Partial<Route>
  return object && { hosts: hosts.join(), port: http[0]?.route[0]?.destination.port.number }
}

const difference = (what: string, wanted: unknown, found: unknown): string[] => {
  const [is, should] = [found, wanted].map(value => JSON.stringify(value))
  return is === should ? [] : [`${what} is ${is}; wanted: ${should}`]
}

export const scenarios: readonly Scenario[] = [
  {
    title: 'a Watcher, its Gateway and people',
    key: { namespace, name: theWatcher.name },
    crds: [
      'operator.kyma-project.io_watchers.yaml',
      ...['gateways', 'virtualservices'].map(name => `../../tests/harness/clusters/crds/${name}.yaml`),
    ],
    namespaces: [namespace],
    observes: [watcherKind, gatewayKind, routeKind].map(kind => ({ ...kind, namespace })),
    dependent: theGateway,
    rivalry: { leaves: ['status'] },
    stages: [
      {
        title: 'a Watcher and a Gateway',
        change: async people => {
          await people.create({ ...gatewayKind, ...gatewayFields })
          await people.create(watcher({ metadata: { name: theWatcher.name } }))
        },
        faults: routed('Ready', { hosts: 'one.example.com', port: 8082 }),
      },
      {
        title: 'somebody deletes the VirtualService',
        change: people => people.delete(theRoute),
        faults: routed('Ready', { hosts: 'one.example.com', port: 8082 }),
      },
      {
        title: 'the port, the hosts and the VirtualService are edited',
        change: async people => {
          await people.change(theWatcher, { spec: { serviceInfo: { port: 9000 } } })
          await people.change(theGateway, { spec: serving(['one.example.com', 'two.example.com']) })
          await people.change(theRoute, { spec: { hosts: ['elsewhere.example.com'] } })
        },
        faults: routed('Ready', { hosts: 'one.example.com,two.example.com', port: 9000 }),
      },
      {
        title: 'the Gateway loses its label, and the VirtualService stays',
        change: people => people.change(theGateway, { metadata: { labels: { app: null } } }),
        faults: routed('Error', { hosts: 'one.example.com,two.example.com', port: 9000 }),
      },
      {
        title: 'the Watcher is deleted',
        change: people => people.delete(theWatcher),
        faults: objects => objects.filter(({ kind }) => kind !== 'Gateway').map(({ kind }) => `${kind} is left`),
      },
    ],
  },
]
