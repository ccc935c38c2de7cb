// A Deployment of kube-apiserver as a process behind a constant address. A rollout starts a new process beside the old one, and leads new connections
// to it once its readiness probe succeeds. The old process then finishes its calls and ends. Terminating Pods do not count as replicas, so only the
// next rollout waits for it.
import { join } from 'node:path'
import { Agent, request } from 'undici'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Processes } from '../control-plane/processes.ts'
import { type PodPlace, processOfPod } from '../processes/pod-process.ts'
import { freePorts } from '../processes/ports.ts'
import { tcpForwarder } from '../processes/tcp-forwarder.ts'
import { eventually } from '../until.ts'

export type RolledApiServer = {
  /** The port of every process, one after the other. */
  readonly port: number
  /** Resolves when only the new process takes connections. */
  rollOut(deployment: KubeObject): Promise<void>
  /** Resolves when the previous process has ended. */
  drained(): Promise<void>
  /** Kills the process that serves; nobody answers until the next rollout. */
  stop(): Promise<void>
  close(): void
}

export type RolledFrom = Pick<PodPlace, 'dir' | 'find' | 'hosts'> & {
  readonly processes: Processes
  /** Flags besides those of the Deployment. */
  readonly flags?: PodPlace['flags']
  /** Absent: IPv4. */
  readonly family?: 'IPv4' | 'IPv6'
}

/** Longer than the 15 s for which an ending API server still accepts calls, by its flags. Clients that only watch are cut off then. */
const drainSeconds = 18

/** No process runs yet. */
export async function rolledApiServer({ processes, family = 'IPv4', ...from }: RolledFrom): Promise<RolledApiServer> {
  const addresses = addressesOf[family]
  const forwarder = await tcpForwarder(addresses['bind-address'])
  let life = 0
  let current: string | undefined
  let draining = Promise.resolve()

  const stop = async (): Promise<void> => {
    const ending = current
    current = undefined
    if (ending) await processes.stop(ending, 'SIGKILL')
  }

  const rollOut = async (deployment: KubeObject): Promise<void> => {
    const name = `kube-apiserver-${life++}`
    const [port = 0] = await freePorts(1)
    const flags = { 'secure-port': String(port), ...addresses, ...from.flags }
    const component = await processOfPod(deployment, { ...from, dir: join(from.dir, name), name, flags })
    processes.start(component)
    await processes.whileAllRun(() => ready(deployment, `${hostOf[family]}:${port}`))
    await draining
    forwarder.leadTo(port)
    if (current) draining = processes.stop(current, 'SIGTERM', drainSeconds)
    current = name
  }

  return { port: forwarder.port, rollOut, drained: () => draining, stop, close: forwarder.close }
}

/** Endpoints of Services must not be loopback addresses. This address is of the network for documentation, so nobody connects to it. */
const addressesOf = {
  IPv4: { 'bind-address': '127.0.0.1', 'advertise-address': '192.0.2.1' },
  IPv6: { 'bind-address': '::1', 'advertise-address': '2001:db8::1' },
}

/** This machine, as in a URL. */
export const hostOf = { IPv4: '127.0.0.1', IPv6: '[::1]' }

type Probe = {
  readonly httpGet: { readonly path: string; readonly httpHeaders?: readonly { name: string; value: string }[] }
}
type Probed = {
  readonly spec: { readonly template: { readonly spec: { readonly containers: { readinessProbe: Probe }[] } } }
}

/** Probes as a kubelet does: with the headers of the probe, and with any certificate. */
const ready = async (deployment: KubeObject, host: string): Promise<void> => {
  const [container] = (deployment as unknown as Probed).spec.template.spec.containers
  const { path = '/readyz', httpHeaders = [] } = container?.readinessProbe.httpGet ?? {}
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]))
  const isReady = async (): Promise<boolean> => {
    const { statusCode, body } = await request(`https://${host}${path}`, { dispatcher, headers })
    await body.dump()
    return statusCode === 200
  }
  await eventually('kube-apiserver is ready', () => isReady().catch(() => false))
  await dispatcher.close()
}
