// The Pod of a program: image, restricted Pod Security standard, probes, volumes; and its Deployment, PodDisruptionBudget and Services.
import type { KubeObject } from '../../core/objects/object.ts'
import { certificateSecretName, type Labels, partLabels, ports, tokenAudience } from '../manifests/conventions.ts'

type Mount = {
  readonly name: string
  readonly folder: string
  readonly source: object
}

export type PodParts = {
  selector: Labels
  serviceAccountName: string
  program: Program
  /** Settings by environment variable (shared/http/settings/config.ts). */
  environment: Record<string, string>
  mounts: readonly Mount[]
  ports: Record<string, number>
  memoryMiB: { request: number; limit: number }
  cpuMillis: number
  terminationGracePeriodSeconds: number
}

/** Entry points: `shared/main/<program>.ts`. */
export const programs = ['host', 'relay'] as const

export type Program = (typeof programs)[number]

export const builtFile = (program: Program): string => `dist/${program}.mjs`

/**
 * Memory for young objects. With 2 MiB instead of 16 MiB, an idle program needs 10 MB less. With a large memory limit, the value is 8 MiB:
 * a busy program needs a fifth less time and 50 MB more memory. Programs set further flags themselves (shared/main/v8-flags.ts).
 */
export const nodeFlags = (memoryLimitMiB: number): string[] => [
  `--max-semi-space-size=${memoryLimitMiB >= plentyMiB ? 8 : 2}`,
]

const plentyMiB = 512

/** Two replicas, replaced one by one. Both replicas work: functions have no state, and relays share the work by Leases. */
export const deployment = (name: string, namespace: string, pod: PodParts): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace, labels: { ...partLabels, ...pod.selector } },
  spec: {
    replicas: 2,
    revisionHistoryLimit: 3,
    selector: { matchLabels: pod.selector },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: { metadata: { labels: { ...partLabels, ...pod.selector } }, spec: podSpec(pod) },
  },
})

const podSpec = (pod: PodParts) => ({
  serviceAccountName: pod.serviceAccountName,
  terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
  topologySpreadConstraints: ['kubernetes.io/hostname', 'topology.kubernetes.io/zone'].map(spreadOver(pod.selector)),
  containers: [{ ...container(pod), ports: containerPorts(pod), startupProbe, ...probes }],
  volumes: pod.mounts.map(volume),
})

/** The rule is preferred and not required, so that all Pods can also run on one node. */
const spreadOver = (matchLabels: Labels) => (topologyKey: string) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels },
})

/** With one replica, `minAvailable` would block each drain. */
export const podDisruptionBudget = (name: string, namespace: string, matchLabels: Labels): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace, labels: partLabels },
  spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: { matchLabels } },
})

type ServiceParts = {
  name: string
  namespace: string
  selector: Labels
  port: { name: string; port: number; targetPort: number }
  /** A second name and number for the port. */
  alias?: { name: string; port: number }
  /** The name resolves to the addresses of all ready Pods, and the caller chooses one. */
  isHeadless?: boolean
}

export const internalService = ({ name, namespace, selector, port, alias, isHeadless }: ServiceParts): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace, labels: partLabels },
  spec: {
    ...(isHeadless && { clusterIP: 'None' }),
    selector,
    ports: [port, ...(alias ? [{ ...port, ...alias }] : [])].map(one => ({ ...one, protocol: 'TCP' })),
  },
})

export const container = (parts: PodParts) => ({
  name: 'espalier',
  image: 'espalier',
  args: [...nodeFlags(parts.memoryMiB.limit), builtFile(parts.program)],
  env: Object.entries(parts.environment).map(([name, value]) => ({ name, value })),
  resources: resources(parts),
  securityContext: restricted,
  volumeMounts: parts.mounts.map(volumeMount),
})

export const containerPorts = ({ ports }: PodParts) =>
  Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort, protocol: 'TCP' }))

/** No CPU limit, because throttling would delay admission even on an idle node. */
const resources = ({ memoryMiB: { request, limit }, cpuMillis }: PodParts) => ({
  requests: { cpu: `${cpuMillis}m`, memory: `${request}Mi` },
  limits: { memory: `${limit}Mi` },
})

/** The security context of the container. Knative does not allow these fields for the Pod. */
const restricted = {
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

const probe = (path: string) => ({ httpGet: { path, port: ports.probes } })

/** A container is killed after half a minute without an answer. */
export const probes = {
  livenessProbe: { ...probe('/livez'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
  readinessProbe: { ...probe('/readyz'), periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 },
}

/** The start may take a minute, because the API server may be slow. */
const startupProbe = { ...probe('/livez'), periodSeconds: 2, failureThreshold: 30 }

/** The relay's token for hosts and other relays. kubelet renews it, and the relay reads the file for each call. */
export const tokenMount: Mount = {
  name: 'token',
  folder: '/var/run/secrets/espalier',
  source: {
    projected: {
      sources: [{ serviceAccountToken: { audience: tokenAudience, path: 'token', expirationSeconds: 3600 } }],
    },
  },
}

type CertificateFiles = {
  readonly folder: string
  readonly files: readonly ('ca.crt' | 'tls.crt' | 'tls.key')[]
  /** Lets the Pod start before the Secret exists. Otherwise kubelet may retry the mount only after two minutes. */
  readonly optional?: true
}

/** Files of the certificate Secret, without the authority's key. */
export const certificateMount = ({ folder, files, ...rest }: CertificateFiles): Mount => ({
  name: 'certificate',
  folder,
  source: {
    secret: { secretName: certificateSecretName, items: files.map(file => ({ key: file, path: file })), ...rest },
  },
})

export const configMount = (name: string, folder: string): Mount => ({ name, folder, source: { configMap: { name } } })

export const volume = ({ name, source }: Mount) => ({ name, ...source })

const volumeMount = ({ name, folder }: Mount) => ({ name, mountPath: folder, readOnly: true })
