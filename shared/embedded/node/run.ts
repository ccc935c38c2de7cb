// The stand-in node: starts every controller of workloads in a cluster. Without it, Pods stay Pending and workloads
// are only stored.
import type { Cluster } from '../cluster.ts'
import { Addresses } from './addresses.ts'
import { type NodeOptions, realPace } from './behaviour.ts'
import { type Controller, runController } from './controller.ts'
import { cronJobs } from './cronjobs.ts'
import { daemonSets } from './daemonsets.ts'
import { deployments } from './deployments.ts'
import { endpoints } from './endpoints.ts'
import { handsOf } from './hands.ts'
import { jobs } from './jobs.ts'
import { registerNode } from './own-node.ts'
import { kubelet, kubeletWorker, scheduler } from './pods.ts'
import { replicaSets } from './replicasets.ts'
import { statefulSets } from './statefulsets.ts'
import { volumeClaims, volumes } from './volumes.ts'

const controllers: readonly Controller[] = [
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  jobs,
  cronJobs,
  endpoints,
  volumeClaims,
  volumes,
  scheduler,
]

/** Answers how it is stopped. */
export const runNode = async (cluster: Cluster, options: NodeOptions): Promise<() => void> => {
  const pace = { ...realPace, ...options }
  await registerNode(cluster.store, handsOf(cluster, kubeletWorker))
  const all = [...controllers, kubelet(new Addresses(cluster.store))]
  const stops = all.map(controller => runController(cluster, controller, pace))
  return () => {
    for (const stop of stops) stop()
  }
}
