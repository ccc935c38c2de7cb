// What the Pods of the gateway run: a proxy that takes its configuration and its certificates from istiod.
import type { requests } from '../parts/workload.ts'

type Gateway = {
  readonly name: string
  readonly namespace: string
  readonly account: string
  readonly image: string
  /** The namespace of istiod. */
  readonly mesh: string
}

export const istioGatewayPod = (gateway: Gateway, asks: typeof requests) => ({
  serviceAccountName: gateway.account,
  securityContext: { ...nobody, fsGroup: 1337 },
  containers: [
    {
      name: 'istio-proxy',
      image: gateway.image,
      imagePullPolicy: 'IfNotPresent',
      args: [
        ...['proxy', 'router', `--domain=${gateway.namespace}.svc.cluster.local`],
        ...['--proxyLogLevel=info', '--proxyComponentLogLevel=misc:error', '--log_output_level=default:info,ads:error'],
      ],
      ports: [{ containerPort: 9443, protocol: 'TCP' }],
      env: environment(gateway),
      readinessProbe: {
        httpGet: { path: '/healthz/ready', port: 15_021, scheme: 'HTTP' },
        initialDelaySeconds: 1,
        periodSeconds: 2,
        failureThreshold: 30,
      },
      resources: { ...asks('300m', '600Mi'), limits: { memory: '4800Mi' } },
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

const from = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } })

const environment = ({ name, namespace, mesh }: Gateway) => [
  { name: 'PILOT_CERT_PROVIDER', value: 'istiod' },
  { name: 'CA_ADDR', value: `istiod.${mesh}.svc:15012` },
  ...[from('NODE_NAME', 'spec.nodeName'), from('POD_NAME', 'metadata.name')],
  ...[from('POD_NAMESPACE', 'metadata.namespace'), from('INSTANCE_IP', 'status.podIP')],
  ...[from('HOST_IP', 'status.hostIP'), from('SERVICE_ACCOUNT', 'spec.serviceAccountName')],
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

const token = { path: 'istio-token', expirationSeconds: 43_200, audience: 'istio-ca' }
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
    source: { projected: { sources: [{ serviceAccountToken: token }] } },
  },
  { name: 'podinfo', at: '/etc/istio/pod', source: { downwardAPI: { items: podFields } } },
]
