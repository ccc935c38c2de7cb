// The objects of the relay: Deployment, PodDisruptionBudget, Service, and routes to functions.
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { isCalledByRelay } from '../landscape/events.ts'
import { partLabels, ports, selectorLabels } from '../manifests/conventions.ts'
import { certificateMount, configMount, deployment, internalService, podDisruptionBudget, tokenMount } from './pod.ts'

const routesFolder = '/etc/espalier/routes'
const authoritiesFolder = '/var/run/espalier/authorities'

/** Calls that take longer after a stop are aborted. The next relay lists all objects and repeats the calls. */
const graceSeconds = 20

const selector = selectorLabels('relay', 'relay')

/** All objects except RBAC (access.ts). */
export const relayObjects = ({ provider: { namespace } }: Landscape): KubeObject[] => [
  deployment('relay', namespace, {
    selector,
    serviceAccountName: 'relay',
    program: 'relay',
    environment: {
      ESPALIER_LISTEN: `:${ports.relay}`,
      ESPALIER_ROUTES: routesFolder,
      ESPALIER_HOST_CA: `${authoritiesFolder}/ca.crt`,
      ESPALIER_GRACE_SECONDS: String(graceSeconds),
    },
    mounts: [
      tokenMount,
      configMount(routesName, routesFolder),
      certificateMount({ folder: authoritiesFolder, files: ['ca.crt'] }),
    ],
    ports: { relay: ports.relay },
    // Measured: 47 MiB when idle, and 190 MiB with 9,000 Components that have four dependents each.
    memoryMiB: { request: 64, limit: 400 },
    cpuMillis: 50,
    terminationGracePeriodSeconds: graceSeconds + 10,
  }),
  podDisruptionBudget('relay', namespace, selector),
  internalService({
    name: 'relay',
    namespace,
    selector,
    port: { name: 'relay', port: ports.relay, targetPort: ports.relay },
  }),
]

// The ConfigMap with a file per function, which contains its URL. URLs depend on the layout; all other settings of the relay come from
// serverless.yml.

const routesName = 'relay-routes'

export const relayRoutes = (landscape: Landscape, urlOf: (name: string) => string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: routesName, namespace: landscape.provider.namespace, labels: partLabels },
  data: Object.fromEntries(
    Object.entries(landscape.functions)
      .filter(([, settings]) => isCalledByRelay(settings))
      .map(([name]) => [name, urlOf(name)]),
  ),
})
