// The Services of the agent: for reviews of the API server, and for scrapers.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { type Agent, agentMetadata, agentName, agentPods, agentPorts } from './agent.ts'

export const webhookService = ({ namespace }: Agent): KubeObject =>
  service(agentName, namespace, { name: 'webhook', port: 443, targetPort: agentPorts.webhook })

export const metricsService = ({ namespace }: Agent): KubeObject =>
  service(`${agentName}-metrics`, namespace, {
    name: 'metrics',
    port: agentPorts.metrics,
    targetPort: agentPorts.metrics,
  })

const service = (name: string, namespace: string, port: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: agentMetadata(name, namespace),
  spec: { selector: agentPods, ports: [{ ...port, protocol: 'TCP' }] },
})
