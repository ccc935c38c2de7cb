// What the Pods of hosts and of the relay are made of: one image, the restricted Pod Security standard, a token by which
// they know each other. How many there are and who runs them is in deployment.ts and knative-service.ts.
import { type Labels, ports } from '../manifests/conventions.ts'
import { type Mount, volumeMount } from './mounts.ts'

export type PodParts = {
  /** Labels by which its Pods are found. */
  selector: Labels
  serviceAccountName: string
  program: Program
  /** Settings by the names that shared/http/settings/config.ts reads. */
  environment: Record<string, string>
  mounts: readonly Mount[]
  ports: Record<string, number>
  memoryMiB: { request: number; limit: number }
  terminationGracePeriodSeconds: number
}

/** Entry points, `shared/main/<program>.ts`. */
export const programs = ['host', 'relay'] as const

export type Program = (typeof programs)[number]

/** Where the image has it, below its working directory. */
export const builtFile = (program: Program): string => `dist/${program}.mjs`

/**
 * Young objects get 2 MiB instead of 16: an idle program holds 10 MB less, and nobody notices the collections. Where memory
 * is plenty they get 8, which spares a busy program a fifth of its time and costs it 50 MB. The only WebAssembly is undici's
 * parser of answers: V8 takes 14 MB to optimize it after the first few, and saves 3 µs on each. Left alone, V8 lets old objects
 * become several times as many before it collects them: of a host they may become half as many again, which costs it a twelfth
 * of its time at worst; of the relay, which allocates much and keeps little, as few as V8 can.
 */
export const nodeFlags = (program: Program, memoryLimitMiB: number): string[] => [
  `--max-semi-space-size=${memoryLimitMiB >= plentyMiB ? 8 : 2}`,
  '--liftoff-only',
  program === 'relay' ? '--optimize-for-size' : '--heap-growing-percent=50',
]

const plentyMiB = 512

export const container = (parts: PodParts) => ({
  name: 'espalier',
  image: 'espalier',
  args: [...nodeFlags(parts.program, parts.memoryMiB.limit), builtFile(parts.program)],
  env: Object.entries(parts.environment).map(([name, value]) => ({ name, value })),
  resources: resources(parts.memoryMiB),
  securityContext: restricted,
  volumeMounts: parts.mounts.map(volumeMount),
})

export const containerPorts = ({ ports }: PodParts) =>
  Object.entries(ports).map(([name, containerPort]) => ({ name, containerPort, protocol: 'TCP' }))

/** No limit on CPU: throttling would make admission wait while the node idles. */
const resources = ({ request, limit }: PodParts['memoryMiB']) => ({
  requests: { cpu: '50m', memory: `${request}Mi` },
  limits: { memory: `${limit}Mi` },
})

/** At the container and not at the Pod, where Knative does not take it. */
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

/** Half a minute of silence is needed to be killed. */
export const probes = {
  livenessProbe: { ...probe('/livez'), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
  readinessProbe: { ...probe('/readyz'), periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 },
}

/** A start may take a minute: a slow API server must not have us killed. */
export const startupProbe = { ...probe('/livez'), periodSeconds: 2, failureThreshold: 30 }
