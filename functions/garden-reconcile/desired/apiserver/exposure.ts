// How requests reach the API server of the virtual garden: by a Service, and from outside by the server name in the TLS handshake. The
// gateway (istio-gateway.ts) does not decrypt the connection.
import { mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import { virtualDomains } from '../../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { findObject } from '../../rules/objects.ts'
import type { World } from '../../world.ts'
import { namespace, ownershipLabel, role, virtualGarden } from '../parts/names.ts'
import { clusterIpService, openToNamespaces, trafficDistribution } from '../parts/services.ts'

const peers = [
  { matchLabels: role('istio-ingress') },
  { matchLabels: { 'networking.gardener.cloud/access-target-apiserver': 'allowed' } },
]

const name = virtualGarden('kube-apiserver')
const labels = { app: 'kubernetes', role: 'apiserver' } as const

export const apiserverService = (world: World): KubeObject =>
  clusterIpService({
    name,
    labels: { ...labels, ...ownershipLabel },
    selector: labels,
    annotations: { 'networking.istio.io/exportTo': '*', ...openToNamespaces(peers) },
    spec: { ...trafficDistribution(world), ipFamilyPolicy: 'PreferDualStack' },
    ports: [{ name: 'kube-apiserver', port: 443, protocol: 'TCP', targetPort: 443 }],
  })

export const gatewayNamespace = virtualGarden('istio-ingress')
export const gatewayName = 'istio-ingressgateway'

/** Clients outside the cluster cannot reach the API server before the gateway has an address. */
export const gatewayWaits = ({ runtime }: World): readonly string[] => {
  const ref = { apiVersion: 'v1', kind: 'Service', namespace: gatewayNamespace, name: gatewayName }
  const status = mapOrEmpty(findObject(runtime, ref)?.status)
  const addresses = mapsIn(mapOrEmpty(status.loadBalancer).ingress)
  const isReached = addresses.some(({ ip, hostname }) => ip !== undefined || hostname !== undefined)
  return isReached ? [] : [`Service ${gatewayNamespace}/${gatewayName}: has no address yet`]
}

const destination = `${name}.${namespace}.svc.cluster.local`

/** Gateway, VirtualService and DestinationRule for `api.` and `gardener.` of each domain. */
export const apiserverSni = (world: World): KubeObject[] => {
  const hosts = virtualDomains(world.garden).flatMap(domain => [`api.${domain}`, `gardener.${domain}`])
  return [gateway(hosts), virtualService(hosts), destinationRule]
}

const istioObject = (kind: string, spec: KubeObject['spec']): KubeObject => ({
  apiVersion: 'networking.istio.io/v1beta1',
  kind,
  metadata: { name, namespace, labels: { ...labels, ...ownershipLabel } },
  spec,
})

const gateway = (hosts: readonly string[]): KubeObject =>
  istioObject('Gateway', {
    selector: { istio: 'ingressgateway', ...ownershipLabel },
    servers: [{ hosts, port: { number: 443, name: 'tls', protocol: 'TLS' }, tls: { mode: 'PASSTHROUGH' } }],
  })

const virtualService = (hosts: readonly string[]): KubeObject =>
  istioObject('VirtualService', {
    exportTo: ['*'],
    hosts,
    gateways: [name],
    tls: [
      {
        match: [{ port: 443, sniHosts: hosts }],
        route: [{ destination: { host: destination, port: { number: 443 } } }],
      },
    ],
  })

const destinationRule = istioObject('DestinationRule', {
  exportTo: ['*'],
  host: destination,
  trafficPolicy: {
    connectionPool: { tcp: { maxConnections: 5000, tcpKeepalive: { time: '7200s', interval: '75s' } } },
    loadBalancer: { localityLbSetting: { enabled: true, failoverPriority: ['topology.kubernetes.io/zone'] } },
    outlierDetection: { minHealthPercent: 0 },
    tls: { mode: 'DISABLE' },
  },
})
