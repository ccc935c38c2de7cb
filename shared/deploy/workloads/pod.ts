// Common parts of the Pods of hosts and relay: image, restricted Pod Security standard, probes.
import { type Labels, ports } from '../manifests/conventions.ts'
import { type Mount, volumeMount } from './mounts.ts'

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
 * Memory for young objects: 2 MiB instead of 16 saves an idle program 10 MB. With much memory it is 8 MiB, which saves a busy program a
 * fifth of its time and costs 50 MB. Programs set further flags themselves (shared/main/v8-flags.ts).
 */
export const nodeFlags = (memoryLimitMiB: number): string[] => [
  `--max-semi-space-size=${memoryLimitMiB >= plentyMiB ? 8 : 2}`,
]

const plentyMiB = 512

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

/** No CPU limit, because throttling would delay admission while the node is idle. */
const resources = ({ memoryMiB: { request, limit }, cpuMillis }: PodParts) => ({
  requests: { cpu: `${cpuMillis}m`, memory: `${request}Mi` },
  limits: { memory: `${limit}Mi` },
})

/** For the container, because Knative does not allow it for the Pod. */
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

/** A start may take a minute, because the API server may be slow. */
export const startupProbe = { ...probe('/livez'), periodSeconds: 2, failureThreshold: 30 }
