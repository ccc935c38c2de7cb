// The certificate of the agent, as it is mounted into its Pods.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { type Agent, agentMetadata, tlsSecretName } from './agent.ts'

export const tlsSecret = ({ namespace, certificate }: Agent): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: agentMetadata(tlsSecretName, namespace),
  type: 'Opaque',
  data: { ...certificate },
})
