// The Deployment of the agent, which runs functions/runtime-watcher. It meets the restricted Pod Security standard.
import { kymaNames } from '../../../../shared/api/kyma/names.ts'
import { sha256Hex } from '../../../../shared/core/digest.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import {
  type Agent,
  agentMetadata,
  agentName,
  agentPods,
  agentPorts,
  type CertificateData,
  priorityClassName,
  tlsSecretName,
} from './agent.ts'

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
  [kymaNames.labels.podRestartTrigger]: digestOf(certificate),
})

const digestOf = (certificate: CertificateData): string =>
  sha256Hex(`${certificate['ca.crt']} ${certificate['tls.crt']}`).slice(0, 16)

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
