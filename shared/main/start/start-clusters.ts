// The clusters of `npm start`: two embedded clusters (control plane and runtime), or the cluster of the user's kubeconfig after the user
// has agreed. No Pods run in embedded clusters. This process answers our webhooks, a stand-in answers istiod's webhook, and webhooks of
// other Services, such as gardener-resource-manager, allow everything (in-process.ts).
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import { kymaNames } from '../../api/kyma/names.ts'
import type { Landscape } from '../../api/serverless.ts'
import { type KubeObject, keyText, type ObjectRef } from '../../core/objects/object.ts'
import type { HostLog } from '../../http/telemetry/log.ts'
import { createClient } from '../../kube/client/client.ts'
import type { ClusterAccess } from '../../kube/clusters/access.ts'
import { leadingTo } from '../landscape.ts'
import { personsAccess } from '../program.ts'
import { runAgent } from './agent-in-process.ts'
import { webhookServices } from './in-process.ts'
import { type InstallSteps, installation, installedNames } from './install.ts'
import { loopback, startPorts } from './ports.ts'
import {
  embeddedSamples,
  type SampleName,
  type StateOf,
  sampleCharts,
  sampleManifests,
  sampleModules,
  sidecarSamples,
} from './samples.ts'
import type { StartSettings } from './start-settings.ts'
import { type DataFolder, environmentText, makeDataFolder, writePrivateFile } from './state-folder.ts'
import { isAgreed, type Terminal } from './terminal.ts'

export type StartClusters = {
  readonly kubeconfig: string
  /** The same, for this process. */
  readonly access: ClusterAccess
  readonly about: readonly string[]
  readonly landscape: Landscape
  readonly installs: InstallSteps
  readonly samples: readonly KubeObject[]
  /** Samples whose Pods get sidecars. They are applied once the mesh is Ready. */
  readonly meshed?: readonly KubeObject[]
  /** The state of a sample. Absent: the states of this project's kinds. */
  readonly stateOf?: StateOf
  /** Objects to show besides the samples, which functions create for the samples. */
  readonly outcomes?: readonly ObjectRef[]
  /** Settings of the host that these clusters need. */
  readonly hostFlags: readonly string[]
  readonly hints: readonly string[]
  /** Tells the API server the address of our webhooks, if it can reach this process. */
  routeWebhooks?(to: AddressInfo | undefined): void
  /** Runs the agent of the runtime as soon as its Deployment exists. The returned function stops the agent. */
  runAgent?(log: HostLog): Promise<() => Promise<void>>
  stop(): Promise<void>
}

type GroundWanted = {
  readonly landscape: Landscape
  readonly samples: readonly SampleName[]
  readonly terminal: Terminal
}

export const embeddedClusters = async (
  { state, data, port }: Pick<StartSettings, 'state' | 'data' | 'port'>,
  { landscape: given, samples: wanted, terminal }: GroundWanted,
): Promise<StartClusters> => {
  if (data) makeDataFolder(data)
  const [{ startEmbeddedCluster }, { accessHere }, standIns, { istiodKey, runIstiod }] = await Promise.all([
    import('../../embedded/start.ts'),
    import('../../embedded/http/without-sockets.ts'),
    import('./stand-ins.ts'),
    import('../../embedded/istiod.ts'),
  ])
  const folder = (name: DataFolder) => data && join(data, name)
  const [ours, agents, istiods] = [given.provider.namespace, kymaNames.namespaces.runtime, keyText(istiodKey)]
  const [services, runtimeServices] = [webhookServices([ours, istiods]), webhookServices([agents])]
  const ports = await startPorts(port, terminal)
  const [cluster, runtime, registry] = await Promise.all([
    startEmbeddedCluster({
      name: 'espalier',
      node: true,
      port: ports.controlPlane,
      data: folder('control-plane'),
      resolveService: services.resolve,
    }),
    startEmbeddedCluster({
      name: 'runtime',
      node: true,
      port: ports.runtime,
      data: folder('runtime'),
      resolveService: runtimeServices.resolve,
    }),
    standIns.startModuleRegistry(sampleModules, ports.registry),
  ])
  const { garden: gardenPort, sidecar: sidecarPort, console: consolePort } = ports
  const stopStandIns = standIns.runGardenStandIns(cluster, { host: loopback, port: gardenPort, sidecarPort })
  const [kubeconfig, runtimeKubeconfig] = [ownKubeconfig(state), join(state, 'runtime.kubeconfig')]
  const environment = join(state, 'env')
  writePrivateFile(kubeconfig, cluster.kubeconfig)
  writePrivateFile(runtimeKubeconfig, runtime.kubeconfig)
  const access = accessHere(cluster)
  const client = createClient(access)
  const istiod = await runIstiod(client)
  services.lead(istiods, istiod.port)
  const landscape = leadingTo(loopback, given)
  const eventAddress = `${loopback}:${ports.events}`
  const decisive = decisiveFlags({ registry: registry.address, eventAddress, gardenPort, sidecarPort })
  writePrivateFile(environment, environmentText(kubeconfig, [`--chart-root=${sampleCharts}`, ...decisive]))
  return {
    kubeconfig,
    access,
    about: [
      `control plane, embedded: ${cluster.url}, kubeconfig in ${kubeconfig}`,
      `runtime, embedded: ${runtime.url}, kubeconfig in ${runtimeKubeconfig}`,
      `modules, from a registry in this process: ${registry.address}`,
    ],
    landscape,
    installs: installation(landscape, { withWebhooks: true }),
    samples: embeddedSamples(wanted, runtime.kubeconfig),
    meshed: sidecarSamples(wanted),
    outcomes: sampleManifests(wanted),
    hostFlags: [...decisive, ...hostFlags({ eventAddress, consolePort, data })],
    hints: [
      `source ${relative('', environment)} # kubectl needs no --kubeconfig then`,
      ...hints(kubeconfig, runtimeKubeconfig),
    ],
    routeWebhooks: to => services.lead(ours, to?.port),
    runAgent: log =>
      runAgent({
        access: accessHere(runtime),
        eventAddress,
        log,
        listensOn: port => runtimeServices.lead(agents, port),
      }),
    stop: async () => {
      registry.stop()
      await Promise.all([stopStandIns(), istiod.stop()])
      await client.close()
      await Promise.all([cluster.stop(), runtime.stop()])
    },
  }
}

/** The file with the kubeconfig of an embedded control plane. */
export const ownKubeconfig = (state: string): string => join(state, 'kubeconfig')

type Places = {
  readonly registry: string
  readonly eventAddress: string
  readonly gardenPort: number
  readonly sidecarPort: number
}

/** Flags on which plans depend. */
const decisiveFlags = ({ registry, eventAddress, gardenPort, sidecarPort }: Places): string[] => [
  ...[`--kyma-registry=${registry}`, `--plain-registries=${registry}`, `--kyma-event-address=${eventAddress}`],
  // No Envoy runs, so no event could pass through the Gateway of a mesh.
  ...['--kyma-event-ingress=native', '--kyma-agent-image=espalier'],
  ...[`--virtual-garden-address=${loopback}:${gardenPort}`, `--backup-sidecar-address=${loopback}:${sidecarPort}`],
]

type Listening = Pick<StartSettings, 'data'> & Pick<Places, 'eventAddress'> & { readonly consolePort: number }

const hostFlags = ({ eventAddress, consolePort, data }: Listening): string[] => [
  `--console=${loopback}:${consolePort}`,
  ...[`--callbacks-listen=${eventAddress}`, '--tls-reload-seconds=1', '--garden-care-seconds=15'],
  // In the next run the registry may have another port, but stored Manifests still have this port.
  ...(data ? [`--blob-folder=${join(data, 'layers')}`] : []),
]

const hints = (kubeconfig: string, runtimeKubeconfig: string): string[] => {
  const [here, there] = [kubectl(kubeconfig), kubectl(runtimeKubeconfig)]
  return [
    lookAround(kubeconfig),
    `${here} -n kcp-system get kymas,manifests,watchers`,
    `${here} get istios,deployments,daemonsets -A`,
    `${here} -n kyma-system patch istio default --type merge -p '{"spec":{"config":{"enableDNSProxying":true}}}'`,
    `${here} -n bookshop get pods,events # their sidecars are new`,
    `${there} -n outpost get all`,
    `${there} -n kyma-system get kymas,modulereleasemetas,deployments`,
  ]
}

type Content = Pick<StartClusters, 'landscape' | 'installs' | 'samples' | 'stateOf'> & { readonly terminal: Terminal }

/** undefined if the user did not agree. */
export const personsCluster = async (
  { kubeconfig = '', agreed }: Pick<StartSettings, 'kubeconfig' | 'agreed'>,
  { landscape, installs, samples, stateOf, terminal }: Content,
): Promise<StartClusters | undefined> => {
  const access = await personsAccess(kubeconfig)
  const { server } = access
  terminal.line('cluster', `${server}, from ${kubeconfig}`)
  for (const line of installedNames([...installs, samples])) terminal.line('installs', line)
  if (agreed !== 'yes' && !(await isAgreed('Use this cluster and install these objects?'))) return undefined
  return {
    kubeconfig,
    access,
    landscape,
    installs,
    about: [server],
    samples,
    ...(stateOf && { stateOf }),
    hostFlags: [`--console=${loopback}:0`],
    hints: [lookAround(kubeconfig)],
    stop: async () => undefined,
  }
}

const lookAround = (kubeconfig: string): string => `${kubectl(kubeconfig)} get gardens,components,networkpolicies -A`

const kubectl = (kubeconfig: string): string => `kubectl --kubeconfig ${relative('', kubeconfig)}`
