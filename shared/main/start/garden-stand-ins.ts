// Stand-ins for other operators in the control plane of `npm start`, so that its Garden comes up without etcds, cloud and images. They replace
// druid, the backup sidecar, the resource manager and a load balancer. The virtual garden itself is a third embedded cluster.

import { loadBalancer, runBackupSidecar } from '../../embedded/garden/backup-sidecar.ts'
import { druid } from '../../embedded/garden/druid.ts'
import { whileAvailable } from '../../embedded/garden/health.ts'
import { managedResources } from '../../embedded/garden/managed-resources.ts'
import { runStandIn } from '../../embedded/garden/stand-in.ts'
import { runVirtualGarden } from '../../embedded/garden/virtual-garden.ts'
import { accessHere } from '../../embedded/http/without-sockets.ts'
import type { EmbeddedCluster } from '../../embedded/start.ts'
import { createClient } from '../../kube/client/client.ts'

const namespace = 'garden'

/** The addresses of the virtual garden and the backup sidecar on this machine. */
type Address = { readonly host: string; readonly port: number; readonly sidecarPort: number }

/** Runs all stand-ins. The returned function stops them. */
export const runGardenStandIns = (cluster: EmbeddedCluster, at: Address): (() => Promise<void>) => {
  const runtime = createClient(accessHere(cluster))
  const inRuntime = (name: string) => ({ client: runtime, namespace, name })
  const seed = managedResources({ class: 'seed', source: runtime, target: runtime })
  const stops = [
    runStandIn(whileAvailable(druid(runtime), inRuntime('etcd-druid'))),
    runStandIn(whileAvailable(seed, inRuntime('gardener-resource-manager'))),
    runStandIn(loadBalancer(runtime)),
    runVirtualGarden({ runtime, namespace, ...at }),
    runBackupSidecar({ runtime, namespace, host: at.host, port: at.sidecarPort }),
  ]
  return async () => {
    await Promise.all(stops.map(stop => stop()))
    await runtime.close()
  }
}
