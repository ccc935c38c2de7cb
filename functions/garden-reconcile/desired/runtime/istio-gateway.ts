// The gateway by which the world reaches the virtual garden. It is ours also where the mesh is somebody else's.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { managedResource } from '../parts/config-object.ts'
import { ownershipLabel, prefixes } from '../parts/names.ts'
import { allow, namespaceAccess, programAccount } from '../parts/rbac.ts'
import { image, requests, toDns, workload } from '../parts/workload.ts'
import { gatewayName as name, gatewayNamespace as namespace } from './apiserver-service.ts'
import { autoscaled } from './autoscaled.ts'
import { comingIstio, isMeshForeign, istioNamespace as mesh } from './foreign-istiod.ts'
import { istioGatewayPod } from './istio-gateway-pod.ts'
import { loadBalancer } from './load-balancer.ts'
import { zonedMeshNamespace } from './zoned-namespace.ts'

const labels = { app: name, istio: 'ingressgateway' }
const account = `${name}-service-account`

export const istioIngressNamespace = (world: World): KubeObject => zonedMeshNamespace(world, namespace, 'istio-ingress')

/** Nothing before there is a mesh: its namespace may not be there. */
export const istioGateway = (world: World): readonly KubeObject[] => {
  if (comingIstio(world)) return []
  const objects = [
    programAccount(account, namespace),
    ...namespaceAccess(`${name}-sds`, [allow('', 'secrets', 'get watch list')], { namespace, account }),
    ...[service(world), ...deployment(world), ...(isMeshForeign(world) ? [toForeignIstiod] : [])],
  ]
  return managedResource('virtual-garden-istio', {
    where: 'runtime',
    namespace: mesh,
    objects: autoscaled(world, objects),
  })
}

const service = (world: World): KubeObject =>
  loadBalancer(world, {
    name,
    namespace,
    selector: { ...labels, ...ownershipLabel },
    annotations: {
      [`${prefixes.networking}/from-world-to-ports`]: JSON.stringify([{ protocol: 'TCP', port: 9443 }]),
    },
    ports: [{ name: 'tls', port: 443, protocol: 'TCP', targetPort: 9443 }],
    ...(isDualStack(world) && { spec: bothFamilies }),
  })

/** IPv6 first: it decides which address a load balancer must have. */
const bothFamilies = { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' }

const isDualStack = ({ garden }: World): boolean => garden.spec.runtimeCluster.networking.ipFamilies?.length === 2

const deployment = (world: World): KubeObject[] =>
  workload({
    name,
    namespace,
    replicas: 2,
    priority: 'critical',
    labels,
    minAllowed: { memory: '128Mi' },
    podLabels: {
      ...toDns,
      [`${prefixes.networking}/to-istio-system-istiod-tcp-15012`]: 'allowed',
      [`${prefixes.networking}/to-garden-virtual-garden-kube-apiserver-tcp-443`]: 'allowed',
      'security.istio.io/tlsMode': 'istio',
      'service.istio.io/canonical-name': name,
    },
    podAnnotations: { 'sidecar.istio.io/inject': 'false' },
    spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    pod: istioGatewayPod({ namespace, account, name, mesh, image: image(world, 'istio-proxy') }, requests),
  })

/** Nobody writes policies for the mesh of somebody else. */
const toForeignIstiod: KubeObject = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'allow-to-istiod', namespace, labels: ownershipLabel },
  spec: {
    podSelector: { matchLabels: labels },
    policyTypes: ['Egress'],
    egress: [
      {
        to: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': mesh } },
            podSelector: { matchLabels: { app: 'istiod' } },
          },
        ],
        ports: [{ protocol: 'TCP', port: 15_012 }],
      },
    ],
  },
}
