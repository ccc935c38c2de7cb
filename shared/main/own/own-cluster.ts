// The cluster of `espalier start` in a user's folder: an embedded cluster with the landscape's definitions and accounts, and the samples.
// The clusters of this project's own `npm start` are in ../start/start-clusters.ts.
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Landscape } from '../../api/serverless.ts'
import type { KubeObject } from '../../core/objects/object.ts'
import { watchesOf } from '../../deploy/landscape/events.ts'
import { accessHere } from '../../embedded/http/without-sockets.ts'
import { startEmbeddedCluster } from '../../embedded/start.ts'
import { objectsInFile } from '../cli/given-files.ts'
import { leadingTo } from '../landscape.ts'
import { webhookServices } from '../start/in-process.ts'
import { type InstallSteps, installation } from '../start/install.ts'
import { loopback, startPorts } from '../start/ports.ts'
import { ownStateOf } from '../start/samples.ts'
import { ownKubeconfig, type StartClusters } from '../start/start-clusters.ts'
import type { StartSettings } from '../start/start-settings.ts'
import { environmentText, makeDataFolder, writePrivateFile } from '../start/state-folder.ts'
import type { Terminal } from '../start/terminal.ts'
import { ownKinds } from './own-manifests.ts'

type OwnLandscape = { readonly folder: string; readonly landscape: Landscape }

/** The objects that must exist before host and relay run. */
export const ownInstallation = async (
  { folder, landscape }: OwnLandscape,
  given: { withWebhooks: boolean },
): Promise<InstallSteps> => {
  const definitions = (await ownKinds(folder, landscape)).flatMap(({ objects }) => objects as KubeObject[])
  return installation(landscape, { ...given, definitions })
}

/** Rejects with a sentence if a file has anything else than objects with names. */
export const ownSamples = async (folder: string): Promise<KubeObject[]> => {
  const files = globSync('samples/*.{yaml,yml}', { cwd: folder }).sort()
  const lists = await Promise.all(files.map(file => objectsInFile(relative('', join(folder, file)))))
  return lists.flat()
}

/** The kinds whose own events call a function. */
export const calledKinds = (landscape: Landscape): ReadonlySet<string> =>
  new Set(watchesOf(landscape).flatMap(({ event }) => (event.map === 'self' ? [event.kind] : [])))

type Wanted = OwnLandscape & { readonly terminal: Pick<Terminal, 'line'> }

export const ownCluster = async (
  { state, data, port }: Pick<StartSettings, 'state' | 'data' | 'port'>,
  { folder, landscape: given, terminal }: Wanted,
): Promise<StartClusters> => {
  if (data) makeDataFolder(data)
  const landscape = leadingTo(loopback, given)
  const installs = await ownInstallation({ folder, landscape }, { withWebhooks: true })
  const samples = await ownSamples(folder)
  const { namespace } = landscape.provider
  const services = webhookServices([namespace])
  const ports = await startPorts(port, terminal)
  const cluster = await startEmbeddedCluster({
    name: landscape.service,
    node: true,
    port: ports.controlPlane,
    resolveService: services.resolve,
    ...(data && { data: join(data, 'control-plane') }),
  })
  const kubeconfig = ownKubeconfig(state)
  const environment = join(state, 'env')
  writePrivateFile(kubeconfig, cluster.kubeconfig)
  writePrivateFile(environment, environmentText(kubeconfig))
  return {
    kubeconfig,
    access: accessHere(cluster),
    about: [`embedded: ${cluster.url}, kubeconfig in ${kubeconfig}`],
    landscape,
    installs,
    samples,
    stateOf: ownStateOf(calledKinds(landscape)),
    hostFlags: [`--console=${loopback}:${ports.console}`, '--tls-reload-seconds=1'],
    hints: [
      `source ${relative('', environment)} # kubectl needs no --kubeconfig then`,
      `kubectl --kubeconfig ${relative('', kubeconfig)} get events -A`,
    ],
    routeWebhooks: to => services.lead(namespace, to?.port),
    stop: () => cluster.stop(),
  }
}
