// A Deployment of kube-apiserver as a process behind an address that stays. A rollout starts a new process beside the old one and leads
// new connections there once its own readiness probe succeeds; the old one then ends its calls and itself. As Pods that terminate do not
// count as replicas, nobody waits for it but the next rollout.
import { join } from 'node:path'
import { Agent, request } from 'undici'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Processes } from '../control-plane/processes.ts'
import { type PodPlace, processOfPod } from '../processes/pod-process.ts'
import { freePorts } from '../processes/ports.ts'
import { tcpForwarder } from '../processes/tcp-forwarder.ts'
import { eventually } from '../until.ts'

export type RolledApiServer = {
  /** Where it is reached, in all its lives. */
  readonly port: number
  /** Resolves when the new one alone takes connections. */
  rollOut(deployment: KubeObject): Promise<void>
  /** Resolves when the one before has ended. */
  drained(): Promise<void>
  /** Kills the process that serves; nobody answers until the next rollout. */
  stop(): Promise<void>
  close(): void
}

export type RolledFrom = Pick<PodPlace, 'dir' | 'find' | 'hosts'> & {
  readonly processes: Processes
  /** Beside those of the Deployment. */
  readonly flags?: PodPlace['flags']
  /** Absent: IPv4. */
  readonly family?: 'IPv4' | 'IPv6'
}

/** Longer than the 15 s for which an API server that ends still takes calls, by its flags. Who only watches then is cut off. */
const drainSeconds = 18

/** Nothing runs yet. */
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

/** Endpoints of Services must not be loopback addresses; to this one, of the documentation's network, nobody goes. */
const addressesOf = {
  IPv4: { 'bind-address': '127.0.0.1', 'advertise-address': '192.0.2.1' },
  IPv6: { 'bind-address': '::1', 'advertise-address': '2001:db8::1' },
}

/** This machine, as a URL has it. */
export const hostOf = { IPv4: '127.0.0.1', IPv6: '[::1]' }

type Probe = {
  readonly httpGet: { readonly path: string; readonly httpHeaders?: readonly { name: string; value: string }[] }
}
type Probed = {
  readonly spec: { readonly template: { readonly spec: { readonly containers: { readinessProbe: Probe }[] } } }
}

/** As a kubelet asks: with the headers of the probe, whatever certificate is shown. */
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
