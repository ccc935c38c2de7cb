// Services, and who may call whom: the resource manager creates network policies from these labels and annotations, and blocks other traffic.
//
//   workload({ name, podLabels: { ...toRuntimeApiserver, ...toService('logging', 3100) }, ... })
//   clusterIpService({ name, annotations: openTo.world([443]), ... })
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { namespace as garden, ownershipLabel, prefixes, virtualGarden } from './names.ts'

type Texts = Readonly<Record<string, string>>

type ServiceOf = {
  readonly name: string
  readonly namespace?: string
  readonly labels: Texts
  /** Absent: the labels are also the selector. */
  readonly selector?: Texts
  readonly annotations?: Texts | undefined
  readonly spec?: JsonMap | undefined
  readonly ports: readonly JsonMap[]
}

export const clusterIpService = ({ name, labels, annotations, spec, ports, ...fields }: ServiceOf): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: fields.namespace ?? garden, labels, ...(annotations && { annotations }) },
  spec: { type: 'ClusterIP', selector: fields.selector ?? labels, ...spec, ports },
})

/** Keeps traffic to a Service in its zone, if the Garden requires this: `spec: { ports, ...trafficDistribution(world) }`. */
export const trafficDistribution = ({ garden, runtimeMinor }: World): { trafficDistribution?: string } => {
  const { settings } = garden.spec.runtimeCluster
  if (settings?.topologyAwareRouting?.enabled !== true) return {}
  return { trafficDistribution: runtimeMinor >= 34 ? 'PreferSameZone' : 'PreferClose' }
}

type LoadBalancer = {
  readonly name: string
  readonly namespace: string
  readonly selector: Texts
  readonly annotations: Texts
  readonly ports: readonly JsonMap[]
  readonly spec?: JsonMap
}

/**
 * A Service through which clients outside reach a runtime cluster. The Garden's settings determine the load balancer. Annotations of other
 * programs stay, because the Service is applied field by field.
 */
export const loadBalancer = (
  { garden }: World,
  { name, namespace, selector, annotations, ports, spec }: LoadBalancer,
): KubeObject => {
  const settings = garden.spec.runtimeCluster.settings?.loadBalancerServices
  const { externalTrafficPolicy } = settings ?? {}
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name,
      namespace,
      labels: { ...selector, ...ownershipLabel },
      annotations: { ...annotations, ...settings?.annotations },
    },
    spec: {
      type: 'LoadBalancer',
      selector,
      ports,
      ...(externalTrafficPolicy !== undefined && { externalTrafficPolicy }),
      ...spec,
    },
  }
}

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
