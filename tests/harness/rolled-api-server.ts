// A Deployment of kube-apiserver as a process behind an address that stays. A rollout starts a new process beside the old one, leads
// new connections there once its own readiness probe succeeds, and waits until the old one has ended its calls and itself.
import { join } from 'node:path'
import { Agent, request } from 'undici'
import type { KubeObject } from '../../shared/core/object.ts'
import { type PodPlace, processOfPod } from './pod-process.ts'
import { freePorts } from './ports.ts'
import type { Processes } from './processes.ts'
import { tcpForwarder } from './tcp-forwarder.ts'
import { eventually } from './until.ts'

export type RolledApiServer = {
  /** Where it is reached, in all its lives. */
  readonly port: number
  /** Resolves when the new one alone serves. */
  rollOut(deployment: KubeObject): Promise<void>
  /** Ends the process that serves; nobody answers until the next rollout. */
  stop(): Promise<void>
  close(): void
}

export type RolledFrom = Pick<PodPlace, 'dir' | 'find' | 'hosts'> & { readonly processes: Processes }

/** Longer than an API server takes to end: it waits for its callers, by its own flags. */
const drainSeconds = 90

/** Nothing runs yet. */
export async function rolledApiServer({ processes, ...from }: RolledFrom): Promise<RolledApiServer> {
  const forwarder = await tcpForwarder()
  let life = 0
  let current: string | undefined

  const stop = async (): Promise<void> => {
    if (current) await processes.stop(current, 'SIGTERM', drainSeconds)
    current = undefined
  }

  const rollOut = async (deployment: KubeObject): Promise<void> => {
    const name = `kube-apiserver-${life++}`
    const [port = 0] = await freePorts(1)
    const flags = { 'secure-port': String(port), ...addresses }
    const component = await processOfPod(deployment, { ...from, dir: join(from.dir, name), name, flags })
    processes.start(component)
    await processes.whileAllRun(() => ready(deployment, port))
    forwarder.leadTo(port)
    await stop()
    current = name
  }

  return { port: forwarder.port, rollOut, stop, close: forwarder.close }
}

/** Endpoints of Services must not be loopback addresses; to this one, of the documentation's network, nobody goes. */
const addresses = { 'bind-address': '127.0.0.1', 'advertise-address': '192.0.2.1' }

type Probe = {
  readonly httpGet: { readonly path: string; readonly httpHeaders?: readonly { name: string; value: string }[] }
}
type Probed = {
  readonly spec: { readonly template: { readonly spec: { readonly containers: { readinessProbe: Probe }[] } } }
}

/** As a kubelet asks: with the headers of the probe, whatever certificate is shown. */
const ready = async (deployment: KubeObject, port: number): Promise<void> => {
  const [container] = (deployment as unknown as Probed).spec.template.spec.containers
  const { path = '/readyz', httpHeaders = [] } = container?.readinessProbe.httpGet ?? {}
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  const headers = Object.fromEntries(httpHeaders.map(({ name, value }) => [name, value]))
  const isReady = async (): Promise<boolean> => {
    const { statusCode, body } = await request(`https://127.0.0.1:${port}${path}`, { dispatcher, headers })
    await body.dump()
    return statusCode === 200
  }
  await eventually('kube-apiserver is ready', () => isReady().catch(() => false))
  await dispatcher.close()
}
