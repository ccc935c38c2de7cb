// Runs the agent of the embedded runtime, because the stand-in node runs no containers. The program runtime-watcher runs in this process,
// with the variables, the certificate and the account of its Deployment. In a real runtime it is a Pod (runtime-watcher.ts).
import { setTimeout as wait } from 'node:timers/promises'
import { agentName, type CertificateData, tlsSecretName } from '../../../functions/kyma/desired/agent.ts'
import { runtimeWatcher } from '../../../functions/runtime-watcher/index.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { type RunningAgent, startAgent } from '../../agent/agent.ts'
import { type AgentCertificate, controlPlane } from '../../agent/control-plane.ts'
import { kymaNames } from '../../api/kyma/names.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { settingsFrom } from '../../http/settings/config.ts'
import { runtimeWatcherSettings } from '../../http/settings/runtime-watcher-settings.ts'
import type { HostLog } from '../../http/telemetry/log.ts'
import { createClient } from '../../kube/client/client.ts'
import type { Client } from '../../kube/client-types.ts'
import type { ClusterAccess } from '../../kube/clusters/access.ts'
import { accountAccess } from './in-process.ts'

type AgentRun = {
  /** A user's access to the runtime. */
  readonly access: ClusterAccess
  /** The address where the control plane of this process receives events. */
  readonly eventAddress: string
  readonly log: HostLog
  /** Called once with the port at which the runtime's API server reaches the agent. */
  readonly listensOn: (port: number) => void
}

const { runtime: namespace } = kymaNames.namespaces
const deploymentRef = { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: agentName }
const secretRef = { apiVersion: 'v1', kind: 'Secret', namespace, name: tlsSecretName }
const lookMilliseconds = 250

/** Starts the agent as soon as its Deployment exists. The returned function stops the agent. */
export const runAgent = async ({ access, eventAddress, log, listensOn }: AgentRun): Promise<() => Promise<void>> => {
  const person = createClient(access)
  const ending = new AbortController()
  let certificate: AgentCertificate | undefined
  let running: { agent: RunningAgent; client: Client } | undefined
  const look = async (): Promise<void> => {
    const [deployment, secret] = await Promise.all([person.get(deploymentRef), person.get(secretRef)])
    certificate = certificateOf(secret, certificate)
    const environment = environmentOf(deployment)
    // A Deployment from an earlier run still has the address of that run.
    if (running || certificate === undefined || environment.KCP_ADDR !== eventAddress) return
    const client = createClient(await accountAccess(access, person, { namespace, name: agentName }))
    const agent = await startAgent({ ...partsOf(environment, () => certificate), client, log })
    running = { agent, client }
    listensOn(agent.ports.webhook)
  }
  const looking = keepLooking(look, { signal: ending.signal, log })
  return async () => {
    ending.abort()
    await looking
    await running?.agent.stop()
    await Promise.all([person, running?.client].map(client => client?.close()))
  }
}

type Looking = { readonly signal: AbortSignal; readonly log: HostLog }

const keepLooking = async (look: () => Promise<void>, { signal, log }: Looking): Promise<void> => {
  while (!signal.aborted) {
    await look().catch(error => log.warn({ err: error }, 'the agent of the runtime cannot be started yet'))
    await wait(lookMilliseconds, undefined, { signal }).catch(() => undefined)
  }
}

type Environment = Readonly<Record<string, string>>
type PodTemplate = { spec: { template: { spec: { containers: { env: { name: string; value: string }[] }[] } } } }

const environmentOf = (deployment: KubeObject | undefined): Environment => {
  if (deployment === undefined) return {}
  const { containers } = (deployment as KubeObject & PodTemplate).spec.template.spec
  return Object.fromEntries(containers.flatMap(({ env }) => env.map(({ name, value }) => [name, value])))
}

/** Returns the same object until the Secret changes. */
const certificateOf = (
  secret: KubeObject | undefined,
  current: AgentCertificate | undefined,
): AgentCertificate | undefined => {
  const data = secret?.data as CertificateData | undefined
  if (data === undefined) return current
  const text = (file: keyof CertificateData): string => Buffer.from(data[file], 'base64').toString('utf8')
  const read = { authorities: text('ca.crt'), certificate: text('tls.crt'), key: text('tls.key') }
  return JSON.stringify(read) === JSON.stringify(current) ? current : read
}

/** Uses free ports of this machine, because Services are connected to these ports. */
const partsOf = (environment: Environment, certificate: () => AgentCertificate | undefined) => {
  const flags = ['--webhook-port=0', '--metrics-port=0']
  const { name } = runtimeWatcher
  const reading = settingsFrom(runtimeWatcherSettings, { program: name, flags, environment })
  if (reading.is !== 'settings')
    throw new Error(
      `the agent's Deployment has invalid environment variables${reading.is === 'faults' ? `: ${reading.faults.join('; ')}` : ''}`,
    )
  const { controlPlane: address, contract, sources, webhookPort: webhook, metricsPort: metrics } = reading.settings
  const userAgent = `espalier-${name}/${manifest.version}`
  return {
    decides: runtimeWatcher,
    certificate,
    sources,
    ports: { webhook, metrics },
    listenHost: '127.0.0.1',
    controlPlane: controlPlane({ address, contract, certificate, userAgent }),
    version: manifest.version,
  }
}
