// A real control plane on this machine, without containers: etcd, kube-apiserver and, if asked for, controllers, scheduler and a simulated node. It
// is ready within seconds, and cannot outlive this process. components.ts has its flags; cluster.ts says which tests share one.
import { setTimeout as wait } from 'node:timers/promises'
import { apiClient } from '../clients/api.ts'
import { freePorts, isFree } from '../processes/ports.ts'
import { usualSeconds } from '../until.ts'
import type { Program } from './binaries.ts'
import { type ApiServerOptions, etcd, kubeApiServer, kubeControllerManager, kubeScheduler, kwok } from './components.ts'
import { type Cluster, describe, furnish, type Site } from './control-plane-folder.ts'
import { registerNode } from './node.ts'
import { type Processes, processesIn } from './processes.ts'

export type ControlPlaneOptions = ApiServerOptions & {
  /** A folder of its own for keys, data and logs. It is made if it does not exist. */
  readonly dir: string
  /**
   * Without controllers there is only the API. Nothing collects garbage, finishes the deletion of a namespace, makes default ServiceAccounts or runs
   * Pods. That is enough for a remote runtime and takes half of the memory.
   */
  readonly withControllers?: boolean
  /** Only these controllers run, and nothing runs Pods: for tests that set the state of workloads themselves. */
  readonly onlyControllers?: readonly string[]
  /** Other machines reach the API server at this address: its certificate names it. */
  readonly address?: string
}

export type ControlPlane = Cluster & {
  /** Stops everything at once. The folder stays. */
  stop(): Promise<void>
  /**
   * Stops the API server. SIGKILL, the default, breaks every connection. SIGTERM is what a rollout sends: the server takes no new connections and
   * finishes its calls; open watches stay for up to ten seconds.
   */
  stopApiServer(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts it again at the same address with the same data, and waits until it is ready. */
  startApiServer(): Promise<void>
  /** Makes it hang: it still accepts connections but answers nothing until it is resumed. */
  pauseApiServer(): Promise<void>
  resumeApiServer(): void
  /** Process ids of the running programs, by program. */
  pids(): Readonly<Partial<Record<Program, number>>>
}

const attempts = 3
const readyPollMilliseconds = 50

/** Starts a control plane and waits until it is ready, with its node if it has one. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt++) {
    const [etcdPort = 0, apiServerPort = 0] = await freePorts(2)
    const processes = processesIn(options.dir)
    try {
      return await start({ dir: options.dir, etcdPort, apiServerPort }, processes, options)
    } catch (error) {
      await processes.stopAll()
      // Our programs are gone, so a port that is still in use belongs to somebody else, who was faster.
      const isTaken = !(await isFree(etcdPort)) || !(await isFree(apiServerPort))
      if (!isTaken || attempt === attempts) throw error
    }
  }
}

async function start(site: Site, processes: Processes, options: ControlPlaneOptions): Promise<ControlPlane> {
  const cluster = await furnish(site, options.address)
  const startApiServer = async (): Promise<void> => {
    processes.start(kubeApiServer(site, options))
    await processes.whileAllRun(signal => apiServerReady(cluster, signal))
  }
  processes.start(etcd(site))
  await startApiServer()
  if (options.onlyControllers) processes.start(kubeControllerManager(site, options.onlyControllers))
  else if (options.withControllers ?? true) {
    for (const component of [kubeControllerManager(site), kubeScheduler(site), kwok(site)]) processes.start(component)
    await processes.whileAllRun(() => registerNode(cluster))
  }
  await describe(site, cluster)
  return {
    ...cluster,
    startApiServer,
    stopApiServer: (signal = 'SIGKILL') => processes.stop('kube-apiserver', signal),
    pauseApiServer: () => processes.pause('kube-apiserver'),
    resumeApiServer: () => processes.resume('kube-apiserver'),
    stop: processes.stopAll,
    pids: processes.pids,
  }
}

/** Resolves when the API server says that it is ready. This includes its own loops, which create RBAC's first roles. */
async function apiServerReady(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const api = apiClient(cluster, cluster.admin)
  const deadline = performance.now() + usualSeconds * 1000
  let latest = 'no answer'
  try {
    while (!signal.aborted) {
      latest = await api.call('GET', '/readyz?verbose').then(
        reply => (reply.status === 200 ? 'ready' : reply.text),
        (error: unknown) => String(error),
      )
      if (latest === 'ready') return
      if (performance.now() > deadline)
        throw new Error(`kube-apiserver is not ready after ${usualSeconds} s:\n${latest}`)
      await wait(readyPollMilliseconds)
    }
  } finally {
    await api.close()
  }
}
