// The Pods of istiod.
import type { JsonMap } from '../../../../shared/core/json/json.ts'
import type { World } from '../../world.ts'
import { image, requests } from '../parts/workload.ts'

export const istiodPorts = { debug: 8080, webhooks: 10_250, discovery: 15_012, metrics: 15_014 } as const

const user = 1337

export const isDualStack = ({ garden }: World): boolean =>
  garden.spec.runtimeCluster.networking.ipFamilies?.length === 2

/** istiod and gateways listen on IPv4 and IPv6 only with this variable. */
export const bothFamilies = (world: World) => (isDualStack(world) ? [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] : [])

export const istiodPod = (world: World) => ({
  serviceAccountName: 'istiod',
  securityContext: { fsGroup: user },
  containers: [
    {
      name: 'discovery',
      image: image(world, 'istio-istiod'),
      imagePullPolicy: 'IfNotPresent',
      args: [...args],
      env: [...environment, ...bothFamilies(world)],
      ports: Object.values(istiodPorts).map(containerPort => ({ containerPort, protocol: 'TCP' })),
      readinessProbe: {
        httpGet: { path: '/ready', port: istiodPorts.debug },
        initialDelaySeconds: 1,
        periodSeconds: 3,
        timeoutSeconds: 5,
      },
      resources: requests('250m', '256Mi'),
      securityContext: {
        capabilities: { drop: ['ALL'] },
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        runAsNonRoot: true,
        runAsUser: user,
        runAsGroup: user,
      },
      volumeMounts: volumes.map(({ name, at, readOnly }) => ({ name, mountPath: at, ...(readOnly && { readOnly }) })),
    },
  ],
  volumes: volumes.map(({ name, source }) => ({ name, ...source })),
})

/** istiod serves its configuration only with TLS; the plain port is off. */
const args = [
  'discovery',
  `--monitoringAddr=:${istiodPorts.metrics}`,
  `--httpsAddr=:${istiodPorts.webhooks}`,
  '--grpcAddr=',
  '--log_output_level=default:info,ads:error',
  '--domain=cluster.local',
  '--keepaliveMaxServerConnectionAge=30m',
] as const

const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } })

const environment = [
  { name: 'REVISION', value: 'default' },
  { name: 'PILOT_CERT_PROVIDER', value: 'istiod' },
  field('POD_NAME', 'metadata.name'),
  field('POD_NAMESPACE', 'metadata.namespace'),
  field('SERVICE_ACCOUNT', 'spec.serviceAccountName'),
  { name: 'PILOT_TRACE_SAMPLING', value: '1' },
  { name: 'PILOT_ENABLE_ANALYSIS', value: 'false' },
  { name: 'CLUSTER_ID', value: 'Kubernetes' },
]

const token = { path: 'istio-token', expirationSeconds: 43_200, audience: 'istio-ca' }

/** The Secrets with a CA or a certificate for istiod are optional, because only some users create them. */
const volumes: readonly { name: string; at: string; readOnly?: true; source: JsonMap }[] = [
  {
    name: 'istio-token',
    at: '/var/run/secrets/tokens',
    readOnly: true,
    source: { projected: { sources: [{ serviceAccountToken: token }] } },
  },
  { name: 'local-certs', at: '/var/run/secrets/istio-dns', source: { emptyDir: { medium: 'Memory' } } },
  {
    name: 'cacerts',
    at: '/etc/cacerts',
    readOnly: true,
    source: { secret: { secretName: 'cacerts', optional: true } },
  },
  {
    name: 'istio-csr-dns-cert',
    at: '/var/run/secrets/istiod/tls',
    readOnly: true,
    source: { secret: { secretName: 'istiod-tls', optional: true } },
  },
  {
    name: 'istio-csr-ca-configmap',
    at: '/var/run/secrets/istiod/ca',
    readOnly: true,
    source: { configMap: { name: 'istio-ca-root-cert', optional: true } },
  },
]
