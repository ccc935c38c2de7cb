// The ValidatingWebhookConfiguration of the agent, with an entry for each Watcher. The agent reads these entries to know what to watch.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { encodedText } from '../../../../shared/core/objects/secret-text.ts'
import type { Watcher } from '../../../../shared/kyma/kinds.ts'
import { watcherEntryName, watcherManager } from '../../../../shared/kyma/watcher-fault.ts'
import { type Agent, agentMetadata, agentName } from './agent.ts'

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
