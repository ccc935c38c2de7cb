// The clusters of `npm start`: two embedded ones, a control plane and a runtime, or the cluster of a person's kubeconfig, after that
// person has agreed.
import type { AddressInfo } from 'node:net'
import { join, relative } from 'node:path'
import type { Landscape, ProviderSettings } from '../api/serverless.ts'
import type { KubeObject } from '../core/object.ts'
import { personsAccess } from './cluster-access.ts'
import { type InstallSteps, installation, installedNames } from './install.ts'
import { writePrivateFile } from './private-file.ts'
import { runtimeSamples, samples } from './samples.ts'
import type { StartSettings } from './start-settings.ts'
import { isAgreed, tell } from './terminal.ts'

export type Ground = {
  readonly kubeconfig: string
  readonly about: readonly string[]
  readonly landscape: Landscape
  readonly installs: InstallSteps
  readonly samples: readonly KubeObject[]
  /** Commands for people who want to look around. */
  readonly hints: readonly string[]
  /** Tells the API server the address of our webhooks, if it can reach this process. */
  routeWebhooks(to: AddressInfo | undefined): void
  stop(): Promise<void>
}

const loopback = '127.0.0.1'

export const embeddedGround = async ({ state, data }: StartSettings, given: Landscape): Promise<Ground> => {
  const { startEmbeddedCluster } = await import('../embedded/start.ts')
  const folder = (name: string) => data && join(data, name)
  let webhooks: { host: string; port: number } | undefined
  const [cluster, runtime] = await Promise.all([
    startEmbeddedCluster({
      ...{ name: 'espalier', node: true, data: folder('control-plane') },
      resolveService: () => webhooks,
    }),
    startEmbeddedCluster({ name: 'runtime', node: true, data: folder('runtime') }),
  ])
  const [kubeconfig, runtimeKubeconfig] = [join(state, 'kubeconfig'), join(state, 'runtime.kubeconfig')]
  writePrivateFile(kubeconfig, cluster.kubeconfig)
  writePrivateFile(runtimeKubeconfig, runtime.kubeconfig)
  const landscape = leadingTo(loopback, given)
  return {
    kubeconfig,
    about: [
      `control plane, embedded: ${cluster.url}, kubeconfig in ${kubeconfig}`,
      `runtime, embedded: ${runtime.url}, kubeconfig in ${runtimeKubeconfig}`,
    ],
    landscape,
    installs: installation(landscape, { withWebhooks: true }),
    samples: [...samples(), ...runtimeSamples(runtime.kubeconfig)],
    hints: [
      lookAround(kubeconfig),
      `kubectl --kubeconfig ${relative('', runtimeKubeconfig)} -n outpost get all`,
      `kubectl --kubeconfig ${relative('', runtimeKubeconfig)} -n kyma-system get kymas,moduletemplates`,
    ],
    routeWebhooks: to => {
      webhooks = to && { host: to.address, port: to.port }
    },
    stop: async () => {
      await Promise.all([cluster.stop(), runtime.stop()])
    },
  }
}

/** Kubeconfigs of components and runtimes may lead to this host too: loopback is refused unless it is named. */
const leadingTo = (host: string, { functions, provider, ...rest }: Landscape): Landscape => ({
  ...rest,
  provider: { ...provider, remotes: remotesLeadingTo(host, provider.remotes) },
  functions: Object.fromEntries(
    Object.entries(functions).map(([name, { events, ...settings }]) => {
      const widened = events.map(event => {
        if (!('inventory' in event) || !event.inventory.kubeConfigHosts) return event
        return { inventory: { ...event.inventory, kubeConfigHosts: [...event.inventory.kubeConfigHosts, host] } }
      })
      return [name, { ...settings, events: widened }]
    }),
  ),
})

const remotesLeadingTo = (host: string, remotes: ProviderSettings['remotes'] = {}): ProviderSettings['remotes'] =>
  Object.fromEntries(
    Object.entries(remotes).map(([name, group]) => [name, { ...group, allowedHosts: [...group.allowedHosts, host] }]),
  )

/** undefined when the person said no. A remote API server cannot call a process on a laptop, so it gets no webhooks. */
export const personsGround = async (
  { kubeconfig = '', agreed }: StartSettings,
  landscape: Landscape,
): Promise<Ground | undefined> => {
  const { server } = await personsAccess(kubeconfig)
  const installs = installation(landscape, { withWebhooks: false })
  tell('cluster', `${server}, from ${kubeconfig}`)
  for (const line of installedNames([...installs, samples()])) tell('installs', line)
  if (agreed !== 'yes' && !(await isAgreed('Use this cluster and install these?'))) return undefined
  return {
    ...{ kubeconfig, landscape, installs },
    about: [server],
    samples: samples(),
    hints: [lookAround(kubeconfig)],
    routeWebhooks: () => undefined,
    stop: async () => undefined,
  }
}

const lookAround = (kubeconfig: string): string =>
  `kubectl --kubeconfig ${relative('', kubeconfig)} get gardens,components,networkpolicies -A`
