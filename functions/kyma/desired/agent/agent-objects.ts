// All objects of the agent in a runtime, in the order in which they are best made: what calls the agent comes last.
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import type { Agent } from './agent.ts'
import { clusterRole, clusterRoleBinding } from './cluster-role.ts'
import { agentDeployment } from './deployment.ts'
import { agentNetworkPolicies } from './network-policies.ts'
import { priorityClass } from './priority-class.ts'
import { agentServiceAccount } from './service-account.ts'
import { metricsService, webhookService } from './services.ts'
import { tlsSecret } from './tls-secret.ts'
import { webhookConfiguration } from './webhook-configuration.ts'

export const agentObjects = (agent: Agent): readonly KubeObject[] => [
  priorityClass(),
  agentServiceAccount(agent),
  clusterRole(agent),
  clusterRoleBinding(agent),
  tlsSecret(agent),
  ...agentNetworkPolicies(agent),
  webhookService(agent),
  metricsService(agent),
  agentDeployment(agent),
  webhookConfiguration(agent),
]
