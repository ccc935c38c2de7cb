// The stand-in node: starts every controller of workloads in a cluster. Without it, Pods stay Pending and workloads
// are only stored.
import type { Cluster } from '../cluster.ts'
import { type NodeOptions, realPace } from './behaviour.ts'
import { type Controller, runController } from './controller.ts'
import { handsOf } from './controller-worker.ts'
import { endpoints } from './endpoints.ts'
import { registerNode } from './own-node.ts'
import { Addresses } from './pods/addresses.ts'
import { kubelet, kubeletWorker, scheduler } from './pods/pods.ts'
import { volumeClaims, volumes } from './volumes.ts'
import { cronJobs } from './workloads/cronjobs.ts'
import { daemonSets } from './workloads/daemonsets.ts'
import { deployments } from './workloads/deployments.ts'
import { jobs } from './workloads/jobs.ts'
import { replicaSets, replicationControllers } from './workloads/replicasets.ts'
import { statefulSets } from './workloads/statefulsets.ts'

const controllers: readonly Controller[] = [
  deployments,
  replicaSets,
  replicationControllers,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
  endpoints,
  volumeClaims,
  volumes,
  scheduler,
]

export const runNode = async (cluster: Cluster, options: NodeOptions): Promise<() => void> => {
  const pace = { ...realPace, ...options }
  await registerNode(cluster.store, handsOf(cluster, kubeletWorker))
  const all = [...controllers, kubelet(new Addresses(cluster.store))]
  const stops = all.map(controller => runController(cluster, controller, pace))
  return () => {
    for (const stop of stops) stop()
  }
}
