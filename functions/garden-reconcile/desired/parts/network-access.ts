// Network access. The resource manager creates network policies from these labels and annotations, and blocks all other traffic.
//
//   workload({ name, podLabels: { ...toRuntimeApiserver, ...toService('logging', 3100) }, ... })
//   clusterIpService({ name, annotations: openTo.world([443]), ... })
import { prefixes, virtualGarden } from './names.ts'

type Network = 'dns' | 'runtime-apiserver' | 'public-networks' | 'private-networks'

/** Labels of Pods that call programs outside the Services of this cluster. */
export const toNetworks = (...networks: readonly Network[]) =>
  Object.fromEntries(networks.map(network => [`networking.gardener.cloud/to-${network}`, 'allowed']))

/** Labels of Pods that call a Service at ports of its Pods. */
export const toService = (service: string, ...ports: readonly number[]) =>
  Object.fromEntries(ports.map(port => [`${prefixes.networking}/to-${service}-tcp-${port}`, 'allowed']))

export const toRuntimeApiserver = toNetworks('dns', 'runtime-apiserver')

export const toVirtualGarden = { ...toNetworks('dns'), ...toService(virtualGarden('kube-apiserver'), 443) }

const open = (suffix: string) => (ports: readonly number[]) => ({
  [`${prefixes.networking}/${suffix}`]: JSON.stringify(ports.map(port => ({ protocol: 'TCP', port }))),
})

/** Annotations of a Service: which clients may call which ports of the Service's Pods. */
export const openTo = {
  world: open('from-world-to-ports'),
  /** API servers, because they call webhooks. */
  webhookCallers: open('from-all-webhook-targets-allowed-ports'),
  /** Prometheus of the Garden, which collects metrics. */
  scrapers: open('from-all-garden-scrape-targets-allowed-ports'),
}

/** Annotation of a Service: the namespaces whose Pods may call it. */
export const openToNamespaces = (selectors: readonly object[]) => ({
  [`${prefixes.networking}/namespace-selectors`]: JSON.stringify(selectors),
})
