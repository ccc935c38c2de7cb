// The objects of the relay: its Deployment, PodDisruptionBudget, Service, and the routes to functions.
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { ports, selectorLabels } from '../manifests/conventions.ts'
import { deployment } from './deployment.ts'
import { internalService } from './internal-service.ts'
import { certificateMount, configMount, tokenMount } from './mounts.ts'
import { podDisruptionBudget } from './pod-disruption-budget.ts'
import { routesName } from './relay-routes.ts'

const routesFolder = '/etc/espalier/routes'
const authoritiesFolder = '/var/run/espalier/authorities'

/** Longer calls are aborted: the relay that takes over lists everything and calls again. */
const graceSeconds = 20

const selector = selectorLabels('relay', 'relay')

/** All objects but the RBAC rules, which are in relay-access.ts. */
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
    // Measured: 47 MiB at rest, 190 with 9,000 Components of four dependents each.
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
