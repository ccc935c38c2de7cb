// Inputs of the agent's objects in a runtime, its Deployment, which runs functions/runtime-watcher, and its ValidatingWebhookConfiguration,
// which has an entry for each Watcher. The agent reads these entries to know what to watch.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { sha256Hex } from '../../../shared/core/digest.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { encodedText } from '../../../shared/core/objects/secret-text.ts'
import type { Watcher } from '../../../shared/kyma/kinds.ts'
import { watcherEntryName, watcherManager } from '../../../shared/kyma/watcher-fault.ts'

export type Agent = {
  readonly namespace: string
  readonly image: string
  readonly limits: Readonly<Record<'cpu' | 'memory', string>>
  /** `host:port` of the control plane's listener for events. */
  readonly eventAddress: string
  /** The Watchers of the control plane that have a webhook entry. */
  readonly watchers: readonly Watcher[]
  /** In base64, as in a Secret: the CAs for the control plane's certificate, and the agent's own certificate. */
  readonly certificate: CertificateData
  readonly pullSecret?: string | undefined
}

export type CertificateData = Readonly<Record<'ca.crt' | 'tls.crt' | 'tls.key', string>>

/** The name of most objects of the agent, and the label of its Pods. */
export const agentName = 'skr-webhook'

export const agentPods = { app: agentName } as const

export const agentPorts = { webhook: 8443, metrics: 2112 } as const

export const tlsSecretName = 'skr-webhook-tls'
export const priorityClassName = 'skr-webhook-priority'

/** The metadata by which users and the relay recognize objects of the agent. */
export const agentMetadata = (name: string, namespace?: string): KubeObject['metadata'] => ({
  name,
  ...(namespace !== undefined && { namespace }),
  labels: { ...agentPods, [kymaNames.labels.managedBy]: kymaNames.managedBy.runtime },
})

/** Meets the restricted Pod Security standard. */
export const agentDeployment = (agent: Agent): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: agentMetadata(agentName, agent.namespace),
  spec: {
    replicas: 1,
    selector: { matchLabels: agentPods },
    template: { metadata: { labels: podLabels(agent) }, spec: podSpec(agent) },
  },
})

/** A changed label restarts the Pods when the certificate changes, although the Pods would also read the new certificate. */
const podLabels = ({ certificate }: Agent): Record<string, string> => ({
  ...agentPods,
  'sidecar.istio.io/inject': 'false',
  [kymaNames.labels.podRestartTrigger]: sha256Hex(`${certificate['ca.crt']} ${certificate['tls.crt']}`).slice(0, 16),
})

const podSpec = (agent: Agent): object => ({
  serviceAccountName: agentName,
  priorityClassName,
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  ...(agent.pullSecret !== undefined && { imagePullSecrets: [{ name: agent.pullSecret }] }),
  containers: [container(agent)],
  volumes: [{ name: 'tls', secret: { secretName: tlsSecretName } }],
})

const mounted = '/tls'

const container = ({ image, eventAddress, limits }: Agent): object => ({
  name: 'watcher',
  image,
  args: ['--max-semi-space-size=2', 'dist/runtime-watcher.mjs'],
  env: Object.entries(environment(eventAddress)).map(([name, value]) => ({ name, value })),
  ports: Object.entries(agentPorts).map(([name, containerPort]) => ({ name, containerPort, protocol: 'TCP' })),
  resources: { limits, requests: { cpu: '10m', memory: '20Mi' } },
  securityContext: {
    runAsNonRoot: true,
    runAsUser: 65532,
    runAsGroup: 65532,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  volumeMounts: [{ name: 'tls', mountPath: mounted, readOnly: true }],
  startupProbe: { ...probe('/livez'), periodSeconds: 2, failureThreshold: 60 },
  livenessProbe: { ...probe('/livez'), periodSeconds: 10, timeoutSeconds: 5 },
  readinessProbe: { ...probe('/readyz'), periodSeconds: 5, timeoutSeconds: 5 },
})

const environment = (eventAddress: string): Record<string, string> => ({
  WEBHOOK_PORT: String(agentPorts.webhook),
  METRICS_PORT: String(agentPorts.metrics),
  CA_CERT: `${mounted}/ca.crt`,
  TLS_CERT: `${mounted}/tls.crt`,
  TLS_KEY: `${mounted}/tls.key`,
  KCP_ADDR: eventAddress,
  KCP_CONTRACT: 'v2',
  EVENT_SOURCES: 'watch,admission',
})

const probe = (path: string): object => ({ httpGet: { path, port: 'metrics' } })

export const webhookConfiguration = (agent: Agent): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: agentMetadata(agentName),
  webhooks: agent.watchers
    .map(watcher => entryOf(watcher, agent))
    .sort((one, other) => (one.name < other.name ? -1 : 1)),
})

/** An entry never refuses a request, so the runtime also works without the agent. */
const entryOf = (watcher: Watcher, { namespace, certificate }: Agent) => ({
  name: watcherEntryName(watcher),
  clientConfig: {
    service: { name: agentName, namespace, path: `/validate/${watcherManager(watcher)}`, port: 443 },
    caBundle: firstOf(certificate['tls.crt']),
  },
  rules: [ruleOf(watcher)],
  ...selectorOf(watcher),
  failurePolicy: 'Ignore',
  sideEffects: 'NoneOnDryRun',
  timeoutSeconds: 15,
  admissionReviewVersions: ['v1'],
})

/**
 * Only the agent's own certificate, without the CAs that follow in the file. One CA signs for all runtimes, and all agents have the same
 * name. An API server that trusted the CA would also trust the key of another runtime.
 */
const firstOf = (encoded: string): string => {
  const [certificate = ''] = Buffer.from(encoded, 'base64')
    .toString()
    .split(/(?<=-----END CERTIFICATE-----)/)
  return encodedText(certificate)
}

/** Omits an empty selector, because the API server removes it. */
const selectorOf = ({ spec: { labelsToWatch = {} } }: Watcher): object =>
  Object.keys(labelsToWatch).length > 0 ? { objectSelector: { matchLabels: labelsToWatch } } : {}

const ruleOf = ({ spec: { resourceToWatch, field } }: Watcher) => ({
  apiGroups: [resourceToWatch.group],
  apiVersions: [resourceToWatch.version],
  resources: [field === 'status' ? `${resourceToWatch.resource}/status` : resourceToWatch.resource],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  scope: '*',
})
