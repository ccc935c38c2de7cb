// The gateway through which clients outside the cluster reach the virtual garden. The gateway is ours even if the mesh is not.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { World } from '../../world.ts'
import { gatewayName as name, gatewayNamespace as namespace } from '../apiserver/exposure.ts'
import { managedResource } from '../parts/config-object.ts'
import { image } from '../parts/images.ts'
import { ownershipLabel } from '../parts/names.ts'
import { allow, namespaceAccess, programAccount } from '../parts/rbac.ts'
import { loadBalancer, openTo, toNetworks, toService } from '../parts/services.ts'
import { httpProbe, requests, workload } from '../parts/workload.ts'
import { zonedMeshNamespace } from './garden-system.ts'
import { bothFamilies, fromField, isDualStack, meshToken } from './istiod.ts'
import { comingIstio, isMeshForeign, istioNamespace as mesh } from './switches.ts'

const labels = { app: name, istio: 'ingressgateway' }
const account = `${name}-service-account`

export const istioIngressNamespace = (world: World): KubeObject => zonedMeshNamespace(world, namespace, 'istio-ingress')

/** Empty until the mesh exists, because before then its namespace may be missing. */
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
    objects,
  })
}

const service = (world: World): KubeObject =>
  loadBalancer(world, {
    name,
    namespace,
    selector: { ...labels, ...ownershipLabel },
    annotations: openTo.world([9443]),
    ports: [{ name: 'tls', port: 443, protocol: 'TCP', targetPort: 9443 }],
    ...(isDualStack(world) && { spec: familiesOfService }),
  })

/** IPv6 is first, because the first family decides which address a load balancer must have. */
const familiesOfService = { ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'PreferDualStack' }

const deployment = (world: World): KubeObject[] =>
  workload({
    name,
    namespace,
    replicas: 2,
    priority: 'critical',
    labels,
    minAllowed: { memory: '128Mi' },
    podLabels: {
      ...toNetworks('dns'),
      ...toService('istio-system-istiod', 15_012),
      ...toService('garden-virtual-garden-kube-apiserver', 443),
      'security.istio.io/tlsMode': 'istio',
      'service.istio.io/canonical-name': name,
    },
    podAnnotations: { 'sidecar.istio.io/inject': 'false' },
    spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } },
    pod: istioGatewayPod(world),
  })

/** A mesh that is not ours has no network policy for this connection, so we create one. */
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

/** The proxy gets its configuration and its certificates from istiod. */
const istioGatewayPod = (world: World) => ({
  serviceAccountName: account,
  securityContext: { ...nobody, fsGroup: 1337 },
  containers: [
    {
      name: 'istio-proxy',
      image: image(world, 'istio-proxy'),
      imagePullPolicy: 'IfNotPresent',
      args: [
        ...['proxy', 'router', `--domain=${namespace}.svc.cluster.local`],
        ...['--proxyLogLevel=info', '--proxyComponentLogLevel=misc:error', '--log_output_level=default:info,ads:error'],
      ],
      ports: [{ containerPort: 9443, protocol: 'TCP' }],
      env: [...environment, ...bothFamilies(world)],
      readinessProbe: httpProbe('/healthz/ready', 15_021, {
        initialDelaySeconds: 1,
        periodSeconds: 2,
        failureThreshold: 30,
      }),
      resources: { ...requests('300m', '600Mi'), limits: { memory: '4800Mi' } },
      securityContext: {
        capabilities: { drop: ['ALL'] },
        allowPrivilegeEscalation: false,
        privileged: false,
        readOnlyRootFilesystem: true,
      },
      volumeMounts: volumes.map(({ name, at }) => ({ name, mountPath: at })),
    },
  ],
  volumes: volumes.map(({ name, source }) => ({ name, ...source })),
})

const nobody = { runAsNonRoot: true, runAsUser: 1337, runAsGroup: 1337 }

const environment = [
  { name: 'PILOT_CERT_PROVIDER', value: 'istiod' },
  { name: 'CA_ADDR', value: `istiod.${mesh}.svc:15012` },
  ...[fromField('NODE_NAME', 'spec.nodeName'), fromField('POD_NAME', 'metadata.name')],
  ...[fromField('POD_NAMESPACE', 'metadata.namespace'), fromField('INSTANCE_IP', 'status.podIP')],
  ...[fromField('HOST_IP', 'status.hostIP'), fromField('SERVICE_ACCOUNT', 'spec.serviceAccountName')],
  { name: 'ISTIO_META_WORKLOAD_NAME', value: name },
  { name: 'ISTIO_META_OWNER', value: `kubernetes://apis/apps/v1/namespaces/${namespace}/deployments/${name}` },
  ...[
    { name: 'ISTIO_META_MESH_ID', value: 'cluster.local' },
    { name: 'TRUST_DOMAIN', value: 'cluster.local' },
  ],
  ...[
    { name: 'ISTIO_META_UNPRIVILEGED_POD', value: 'true' },
    { name: 'ISTIO_META_CLUSTER_ID', value: 'Kubernetes' },
  ],
]

const podFields = ['labels', 'annotations'].map(path => ({ path, fieldRef: { fieldPath: `metadata.${path}` } }))

const volumes = [
  { name: 'workload-socket', at: '/var/run/secrets/workload-spiffe-uds', source: { emptyDir: {} } },
  { name: 'credential-socket', at: '/var/run/secrets/credential-uds', source: { emptyDir: {} } },
  { name: 'workload-certs', at: '/var/run/secrets/workload-spiffe-credentials', source: { emptyDir: {} } },
  { name: 'istio-envoy', at: '/etc/istio/proxy', source: { emptyDir: {} } },
  { name: 'istio-data', at: '/var/lib/istio/data', source: { emptyDir: {} } },
  { name: 'config-volume', at: '/etc/istio/config', source: { configMap: { name: 'istio', optional: true } } },
  { name: 'istiod-ca-cert', at: '/var/run/secrets/istio', source: { configMap: { name: 'istio-ca-root-cert' } } },
  {
    name: 'istio-token',
    at: '/var/run/secrets/tokens',
    source: { projected: { sources: [{ serviceAccountToken: meshToken }] } },
  },
  { name: 'podinfo', at: '/etc/istio/pod', source: { downwardAPI: { items: podFields } } },
]
