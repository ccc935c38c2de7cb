// How requests from outside reach the API server of the virtual garden: by the server name in the TLS handshake. The gateway does not
// decrypt the connection. Another step creates the gateway.
import { virtualDomains } from '../../../../shared/core/objects/garden.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { namespace, ownershipLabel, virtualGarden } from '../parts/names.ts'

const name = virtualGarden('kube-apiserver')
const destination = `${name}.${namespace}.svc.cluster.local`

/** Gateway, VirtualService and DestinationRule for `api.` and `gardener.` of each domain. */
export const apiserverSni = (world: World): KubeObject[] => {
  const hosts = virtualDomains(world.garden).flatMap(domain => [`api.${domain}`, `gardener.${domain}`])
  return [gateway(hosts), virtualService(hosts), destinationRule]
}

const istioObject = (kind: string, spec: KubeObject['spec']): KubeObject => ({
  apiVersion: 'networking.istio.io/v1beta1',
  kind,
  metadata: { name, namespace, labels: { app: 'kubernetes', role: 'apiserver', ...ownershipLabel } },
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
