// The Service of the virtual garden's kube-apiserver, behind the Istio gateway of the runtime cluster.

import { mapOrEmpty, mapsIn } from '../../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { findObject } from '../../rules/objects.ts'
import type { World } from '../../world.ts'
import { ownershipLabel, role, virtualGarden } from '../parts/names.ts'
import { openToNamespaces } from '../parts/network-access.ts'
import { clusterIpService, trafficDistribution } from '../parts/workload.ts'

const peers = [
  { matchLabels: role('istio-ingress') },
  { matchLabels: { 'networking.gardener.cloud/access-target-apiserver': 'allowed' } },
]

const apiserverLabels = { app: 'kubernetes', role: 'apiserver' } as const

export const apiserverService = (world: World): KubeObject =>
  clusterIpService({
    name: virtualGarden('kube-apiserver'),
    labels: { ...apiserverLabels, ...ownershipLabel },
    selector: apiserverLabels,
    annotations: {
      'networking.istio.io/exportTo': '*',
      ...openToNamespaces(peers),
    },
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
