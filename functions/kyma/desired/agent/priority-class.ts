// The priority of the agent: without it the control plane would not hear what changes in a crowded runtime.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { agentMetadata, priorityClassName } from './agent.ts'

export const priorityClass = (): KubeObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: agentMetadata(priorityClassName),
  description: 'For the agent that tells the control plane what changes',
  value: 1_000_000_000,
})
