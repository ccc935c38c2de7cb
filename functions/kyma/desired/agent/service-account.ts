// The account under which the agent watches.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { type Agent, agentMetadata, agentName } from './agent.ts'

export const agentServiceAccount = ({ namespace }: Agent): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: agentMetadata(agentName, namespace),
})
