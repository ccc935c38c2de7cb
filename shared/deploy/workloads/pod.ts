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
 * Memory for young objects. With 2 MiB instead of 16 MiB, an idle program needs 10 MB less. With a large memory limit, the value is 8 MiB:
 * a busy program needs a fifth less time and 50 MB more memory. Programs set further flags themselves (shared/main/v8-flags.ts).
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
export const startupProbe = { ...probe('/livez'), periodSeconds: 2, failureThreshold: 30 }
